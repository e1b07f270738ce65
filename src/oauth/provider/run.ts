import type { ErrorRow } from '#catalogue';
import { type RawRequest, type Reply, webErrors } from '#web';
import type { Application } from '../applications/index.ts';
import { errors } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { errorPage } from '../pages.ts';
import { applicationOf } from './application.ts';
import type { ProviderDeps } from './deps.ts';
import type { KoaContextWithOIDC, LibraryRequest, Provider } from './library.ts';
import { beginPassing, type Passing, passingOf } from './passing.ts';
import type { Built } from './provider.ts';

interface Given {
  /** Path and query as the library knows its endpoints. */
  readonly target: string;
  /** What came as a form: read, and no longer than the library reads. */
  readonly form: URLSearchParams;
  /** An application that was looked up for this request already. */
  readonly named?: string;
  readonly known?: Promise<Application | undefined>;
}

/**
 * Has the library answer a request of one of its endpoints.
 *
 * @returns what is left to answer: a page
 */
export async function run(
  built: Built,
  issuer: Issuer,
  raw: RawRequest,
  { target, form, named, known }: Given,
): Promise<Reply | undefined> {
  const passing = beginPassing(raw, issuer);
  if (named !== undefined && known !== undefined) passing.applications.set(named, known);
  const request = raw.request as LibraryRequest;
  request.url = target;
  // Absolute, so that every address in an answer is the one by which the service is known outside.
  request.originalUrl = issuer.url + target;
  delete request.headers['origin'];
  if (request.method === 'POST') giveBody(request, Buffer.from(form.toString()));
  await built.callback(request, raw.response);
  const { shown } = passing;
  return (
    shown && { kind: 'page', status: shown.status, page: errorPage(shown.error, shown.description, raw.correlationId), error: shown.row }
  );
}

/** The body has been read: it is put where the library looks for it. */
function giveBody(request: LibraryRequest, body: Uint8Array): void {
  delete request.headers['content-encoding'];
  delete request.headers['transfer-encoding'];
  request.headers['content-length'] = String(body.length);
  Object.defineProperty(request, 'readable', { value: true });
  Object.defineProperty(request, 'iterator', {
    value: async function* () {
      if (body.length > 0) yield Buffer.from(body);
    },
  });
}

const formPostPolicy = "default-src 'none'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** What stands around everything that the library answers: no cookie of its own, leave for other origins as the application has it, a policy for the form that sends itself. */
export function edge(provider: Provider, deps: ProviderDeps): void {
  provider.use((async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    const passing = passingOf(ctx);
    const policy = String(ctx.response.get('Content-Security-Policy'));
    ctx.set('Content-Security-Policy', formPostPolicy);
    await next();
    ctx.remove('Set-Cookie');
    const given = String(ctx.response.get('Content-Security-Policy'));
    const hash = /'sha256-[^']+'/.exec(given)?.[0];
    ctx.set('Content-Security-Policy', hash === undefined ? policy : formPolicy(ctx, hash));
    await cors(ctx, passing, deps);
  }) as never);
}

function formPolicy(ctx: KoaContextWithOIDC, hash: string): string {
  const uri = URL.parse(String(ctx.oidc.params?.['redirect_uri'] ?? ''));
  const to = uri === null ? "'none'" : /^https?:$/.test(uri.protocol) ? uri.origin : uri.protocol;
  return `default-src 'none'; script-src ${hash}; form-action ${to}; frame-ancestors 'none'; base-uri 'none'`;
}

/** The endpoint answers in any case; whether a page of another origin may read it is its application's to say. */
async function cors(ctx: KoaContextWithOIDC, passing: Passing, deps: ProviderDeps): Promise<void> {
  const isOpen = ['jwks', 'discovery'].includes(ctx.oidc?.route ?? '');
  for (const name of ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers']) ctx.remove(name);
  if (isOpen) {
    ctx.set('Access-Control-Allow-Origin', '*');
    return;
  }
  const { raw } = passing;
  const origin = raw.foreignOrigin;
  if (origin === undefined || ctx.oidc === undefined || ctx.oidc.route === 'authorization') return;
  ctx.vary('Origin');
  const refused = deps.origins.includes(origin) ? undefined : await foreign(ctx, passing, deps, origin);
  if (refused !== undefined) {
    deps.audit.record({
      realm: passing.issuer.realm.id,
      door: raw.door,
      subject: ctx.oidc.client?.clientId ?? '',
      action: 'oauth.cors',
      outcome: 'refused',
      error: refused,
      summary: refused.means,
      correlationId: raw.correlationId,
      address: raw.address,
    });
    return;
  }
  ctx.set('Access-Control-Allow-Origin', origin);
  ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, DPoP-Nonce');
}

async function foreign(ctx: KoaContextWithOIDC, passing: Passing, deps: ProviderDeps, origin: string): Promise<ErrorRow | undefined> {
  const named = ctx.oidc.client?.clientId ?? namedBy(ctx);
  if (named === undefined) return webErrors.corsNoClient;
  const application = await applicationOf(deps, passing, named);
  if (application === undefined) return webErrors.corsNoApplication;
  return application.corsOrigins.includes(origin) ? undefined : webErrors.corsNotListed;
}

/** Which client a request named that the library has not come to know. */
function namedBy({ oidc }: KoaContextWithOIDC): string | undefined {
  const given = oidc.params?.['client_id'] ?? oidc.body?.['client_id'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Keeps what the library would show in a page of its own, so that the door shows it in one of this service's. */
export async function showError(
  ctx: KoaContextWithOIDC,
  out: { error?: string; error_description?: string },
  failure: { statusCode?: number },
): Promise<void> {
  const passing = passingOf(ctx);
  const status = failure.statusCode ?? 500;
  passing.shown = {
    status: status >= 300 && status < 400 ? 400 : status,
    error: out.error ?? 'server_error',
    description: out.error_description ?? '',
    row: passing.because ?? (status < 500 ? errors.invalidRequest : webErrors.serverErrorUnclassified),
  };
  // The door answers.
  Object.assign(ctx, { respond: false });
}
