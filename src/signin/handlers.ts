import type { Handler } from '#web';
import { createFrame, type FrameDeps } from './frame.ts';
import type { routes } from './routes.ts';
import { createEmailStep, type EmailStepDeps } from './steps/email.ts';
import { createPasswordStep, type PasswordStepDeps } from './steps/password.ts';
import { createPasswordChangeStep, type PasswordChangeDeps } from './steps/password-change.ts';
import { createRecoveryStep, type RecoveryDeps } from './steps/recovery.ts';
import { createSetupStep } from './steps/setup.ts';
import { createTotpStep, type TotpDeps } from './steps/totp.ts';

import { createWebauthnStep, sendScript, type WebauthnDeps } from './steps/webauthn.ts';

export type SigninDeps = PasswordStepDeps & PasswordChangeDeps & WebauthnDeps & TotpDeps & RecoveryDeps & EmailStepDeps & FrameDeps;

/** The pages under `/authn`. */
export function createSigninHandlers(deps: SigninDeps): Readonly<Record<keyof typeof routes, Handler>> {
  const password = createPasswordStep(deps);
  const emailCode = createEmailStep(deps, 'code');
  const emailLink = createEmailStep(deps, 'link');
  const setup = createSetupStep();
  const change = createPasswordChangeStep(deps);
  const webauthn = createWebauthnStep(deps);
  const totp = createTotpStep(deps);
  const recovery = createRecoveryStep(deps);
  const frame = createFrame(deps, [password, webauthn, totp, recovery, emailCode, emailLink, setup, change]);
  return {
    loginPage: frame.show(password),
    login: frame.take(password),
    emailCodePage: frame.show(emailCode),
    emailCode: frame.take(emailCode),
    emailLinkPage: frame.show(emailLink),
    emailLink: frame.take(emailLink),
    setupPage: frame.show(setup),
    setup: frame.take(setup),
    passwordChangePage: frame.show(change),
    passwordChange: frame.take(change),
    backupCodePage: frame.show(recovery),
    backupCode: frame.take(recovery),
    webauthnPage: frame.show(webauthn),
    webauthn: frame.take(webauthn),
    webauthnScript: sendScript,
    totpPage: frame.show(totp),
    totp: frame.take(totp),
  };
}
