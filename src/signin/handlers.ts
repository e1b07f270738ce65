import type { Handler } from '#web';
import { createFrame, type FrameDeps } from './frame.ts';
import type { PasswordDeps } from './password.ts';
import type { routes } from './routes.ts';
import { createPasswordStep } from './steps/password.ts';

export interface SigninDeps extends PasswordDeps, FrameDeps {}

/** The pages under `/authn`. */
export function createSigninHandlers(deps: SigninDeps): Readonly<Record<keyof typeof routes, Handler>> {
  const password = createPasswordStep(deps);
  const frame = createFrame(deps, [password]);
  return {
    loginPage: frame.show(password),
    login: frame.take(password),
  };
}
