import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly location: string;
  /** `Set-Cookie` headers as they came. */
  readonly setCookies: readonly string[];
  readonly retryAfter: string;
  readonly body: string;
}

/** One request without a browser's help: no redirect is followed, no cookie kept. */
export function ask(
  base: string,
  target: string,
  {
    method = 'GET',
    cookies = {},
    form,
    from,
  }: {
    readonly method?: string;
    readonly cookies?: Readonly<Record<string, string>>;
    readonly form?: Readonly<Record<string, string>>;
    /** Which of this machine's addresses to come from. */
    readonly from?: string;
  } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const body = form === undefined ? '' : new URLSearchParams(form).toString();
    const headers: Record<string, string> = {};
    if (form !== undefined)
      Object.assign(headers, { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) });
    const cookie = Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    if (cookie !== '') headers['cookie'] = cookie;
    const { hostname, port } = new URL(base);
    const call = request({ hostname, port, path: target, method, headers, ...(from === undefined ? {} : { localAddress: from }) });
    call.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          location: answer.headers.location ?? '',
          retryAfter: answer.headers['retry-after'] ?? '',
          setCookies: answer.headers['set-cookie'] ?? [],
          body: text,
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** The value of a cookie that an answer sets. */
export function cookieOf({ setCookies }: RawAnswer, name: string): string | undefined {
  return setCookies.map((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1]).find((value) => value !== undefined);
}

/** The value of a hidden field of a page. */
export function hiddenOf({ body }: RawAnswer, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? '';
}

/** A sign-in screen as a browser has it: its address, its form's token, its cookie. */
export interface OpenScreen {
  readonly target: string;
  readonly csrf: string;
  readonly browser: string;
  readonly page: RawAnswer;
}

/** Asks for something that needs a person, and follows to the screen. */
export async function openScreen(base: string, target = '/portal'): Promise<OpenScreen> {
  const { location } = await ask(base, target);
  const page = await ask(base, location);
  return { target: location, csrf: hiddenOf(page, 'csrf'), browser: cookieOf(page, 'sts_signin') ?? '', page };
}

/** Sends the screen's form as its browser would. */
export function submit(base: string, { target, csrf, browser }: OpenScreen, username: string, password: string): Promise<RawAnswer> {
  return ask(base, target, { method: 'POST', cookies: { sts_signin: browser }, form: { csrf, username, password } });
}

/** Ignores the second factor that an administrator is offered. */
export async function notNow(base: string, { browser }: OpenScreen, location: string): Promise<RawAnswer> {
  const cookies = { sts_signin: browser };
  const csrf = hiddenOf(await ask(base, location, { cookies }), 'csrf');
  return ask(base, location, { method: 'POST', cookies, form: { csrf, choice: 'ignore' } });
}
