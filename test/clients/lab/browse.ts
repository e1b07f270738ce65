/** A page as a person without script would see and use it. */
export interface Page {
  readonly url: string;
  readonly html: string;
  /** What is read on it: without tags, with spaces put together. */
  readonly text: string;
  readonly forms: readonly Form[];
}

export interface Form {
  readonly action: string;
  readonly multipart: boolean;
  /** What it would send as it stands. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export interface Browser {
  get(path: string): Promise<Page>;
  /** Sends a form with some fields filled in otherwise; a list stands for several of one name. Names that the form does not have are an error unless `adding`. */
  send(form: Form, filled: Readonly<Record<string, string>>, adding?: Readonly<Record<string, string>>): Promise<Page>;
}

const redirectsMax = 5;

/** A browser with cookies and nothing else. */
export function openBrowser(site: string): Browser {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, init: RequestInit = {}, redirects = 0): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const to = answer.headers.get('location');
    if (to !== null && redirects < redirectsMax) return visit(new URL(to, url), {}, redirects + 1);
    return readPage(url.href, await answer.text());
  };
  return {
    get: (path) => visit(new URL(path, site)),
    send: (form, filled, adding = {}) => {
      const missing = Object.keys(filled).filter((name) => !form.fields.some(([has]) => has === name));
      if (missing.length > 0)
        throw new Error(`the form has no field ${missing.join(', ')}, but ${form.fields.map(([name]) => name).join(', ')}`);
      const fields = [...form.fields.map(([name, value]) => [name, filled[name] ?? value] as const), ...Object.entries(adding)];
      const body = form.multipart ? new FormData() : new URLSearchParams();
      for (const [name, value] of fields) body.append(name, value);
      return visit(new URL(form.action, site), { method: 'POST', body });
    },
  };
}

function readPage(url: string, html: string): Page {
  const readable = html.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ');
  return {
    url,
    html,
    text: unescapeHtml(readable).replace(/\s+/g, ' '),
    forms: [...html.matchAll(/<form\b([^>]*)>(.*?)(?:<\/form>|$)/gis)].map(readForm),
  };
}

function readForm([, tag = '', inside = '']: RegExpMatchArray): Form {
  const fields: [string, string][] = [];
  for (const [, input, kind = '', attributes = '', content = ''] of inside.matchAll(field)) {
    const about = input ?? attributes;
    const name = attribute(about, 'name');
    if (name === undefined || /\bdisabled\b/.test(about)) continue;
    if (kind.toLowerCase() === 'textarea') fields.push([name, unescapeHtml(content)]);
    else if (kind !== '') for (const value of chosen(content, /\bmultiple\b/.test(about))) fields.push([name, value]);
    else if (isSent(about)) fields.push([name, attribute(about, 'value') ?? 'on']);
  }
  return { action: attribute(tag, 'action') ?? '', multipart: /multipart/i.test(tag), fields };
}

const field = /<input\b([^>]*)>|<(textarea|select)\b([^>]*)>(.*?)<\/\2>/gis;

/** Whether an input is among what its form sends as it stands. */
function isSent(tag: string): boolean {
  const type = attribute(tag, 'type')?.toLowerCase() ?? 'text';
  if (type === 'checkbox' || type === 'radio') return /\bchecked\b/.test(tag);
  return !['submit', 'button', 'reset', 'file', 'image'].includes(type);
}

/** What a select would send: what is chosen, or the first where one must be. */
function chosen(text: string, several: boolean): string[] {
  const options = [...text.matchAll(/<option\b([^>]*)>([^<]*)/gi)].map(([, attributes = '', label = '']) => ({
    value: attribute(attributes, 'value') ?? unescapeHtml(label).trim(),
    is: /\bselected\b/.test(attributes),
  }));
  const selected = options.filter(({ is }) => is);
  return (selected.length > 0 || several ? selected : options.slice(0, 1)).map(({ value }) => value);
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag);
  return found === null ? undefined : unescapeHtml(found[1] ?? found[2] ?? '');
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return hex === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number.parseInt(hex, 16));
  });
}
