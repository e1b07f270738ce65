import { z } from 'zod';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { attributesOf, type ClientEntry } from '#client';
import type { Modification } from '#ldap';
import type { WebRealm } from '#web';
import { errors } from '../errors.ts';
import { configurationOf, ownOf, realmMeant, rowsFrom, settingShape, shownIn, valueShape } from './config-shape.ts';
import { inFields } from './directory-fields.ts';
import { tagOf, unchanged } from './entry-edit.ts';
import { type Call, operation } from './row.ts';
import { Unfit } from './unfit.ts';

const realm = z.string().max(31).optional().describe('The id of a realm, in the default realm; that of the path otherwise.');
const name = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'is no name of a setting')
  .describe('The name of a setting, such as totp.issuer.');

const etag = z.string().describe('For If-Match: of all that is set in the realm, or for the whole service, together.');

/** Where what is set in a realm stands; of the default realm what is set for the whole service. */
function placeOf({ deps: { realms } }: Pick<Call, 'deps'>, { id }: WebRealm): string {
  const { standing } = realms;
  return id === standing.id ? `cn=settings,${standing.suffix}` : `cn=${id},ou=realms,${standing.suffix}`;
}

/** Read before what is in force: a change between the two is then found by its tag. */
async function tagRead(call: Call, meant: WebRealm): Promise<string> {
  return tagOf(await call.deps.client.as('self').read(placeOf(call, meant), ['entryCSN']));
}

export const configList = operation({
  name: 'config.list',
  method: 'GET',
  path: '/admin-api/config',
  scope: 'admin:read',
  summary: 'list settings: what is in force, who says so, and whether it can be changed while the service runs',
  input: z.strictObject({ realm, prefix: z.string().max(100).optional().describe('The beginning of names, such as mail.') }),
  output: z.strictObject({ realm: z.string(), settings: z.array(settingShape), etag }),
  audit: 'settings listed',
  command: 'setting list',
  terminal: {
    list: { of: 'settings', columns: ['name', 'value', 'from', 'changeable'] },
    examples: [{ line: 'atrium setting list --prefix totp.' }],
  },
  run: async (call, { prefix, ...input }) => {
    const meant = await realmMeant(call, input.realm);
    const tag = await tagRead(call, meant);
    const own = await ownOf(call, meant);
    const rows = rowsFrom(configurationOf(call.deps).rows, prefix === undefined ? [] : [prefix]);
    return { realm: meant.id, settings: rows.map(([each, row]) => shownIn(call.deps, meant, own, each, row)), etag: tag };
  },
});

const changed = z.strictObject({
  realm: z.string(),
  setting: settingShape,
  changed: z.boolean().describe('False when it was so before.'),
  etag,
});

export const configSet = operation({
  name: 'config.set',
  method: 'POST',
  path: '/admin-api/config/set',
  scope: 'admin:write',
  editable: true,
  summary: 'change a setting of a realm, or of the whole service; in force at once',
  more: 'In the default realm, without `realm`, it is set for the whole service. What the environment gives, and what is read at the start only, is refused.',
  input: z.strictObject({ realm, name, value: valueShape.describe('A text, as the environment would give it, or what JSON has for it.') }),
  output: changed,
  audit: 'setting {name} set',
  console: { on: 'config', title: 'Change a setting', verb: 'Set' },
  command: 'setting set',
  terminal: {
    examples: [
      { line: "atrium setting set totp.issuer 'Example GmbH'" },
      { line: 'atrium setting set totp.isuer Example', does: 'which is no setting', status: 1 },
    ],
  },
  run: async (call, { value, ...input }) => {
    const meant = await realmMeant(call, input.realm);
    const text = Array.isArray(value) ? value.join(',') : String(value);
    const done = await write(call, meant, input.name, text);
    return await answer(call, meant, input.name, done);
  },
});

export const configReset = operation({
  name: 'config.reset',
  method: 'POST',
  path: '/admin-api/config/reset',
  scope: 'admin:write',
  editable: true,
  summary: 'take back what was set for a realm, or for the whole service; in force at once',
  input: z.strictObject({ realm, name }),
  output: changed,
  audit: 'setting {name} reset',
  console: { on: 'config', title: 'Reset a setting', verb: 'Reset' },
  command: 'setting reset',
  terminal: { examples: [{ line: 'atrium setting set totp.issuer Example\natrium setting reset totp.issuer' }] },
  run: async (call, input) => {
    const meant = await realmMeant(call, input.realm);
    const done = await write(call, meant, input.name, undefined);
    return await answer(call, meant, input.name, done);
  },
});

async function answer(call: Call, meant: WebRealm, named: string, done: boolean): Promise<z.input<typeof changed>> {
  const row = configurationOf(call.deps).rows[named];
  // The directory has taken it, so that there is such a row.
  if (row === undefined) throw new Unfit({ field: 'name', message: 'is no setting' });
  // What is in force in a realm is read from its entry as it is by now.
  const now = (await call.deps.realms.now(meant)) ?? meant;
  const tag = await tagRead(call, now);
  return { realm: meant.id, setting: shownIn(call.deps, now, await ownOf(call, now), named, row), changed: done, etag: tag };
}

/** Others may set the same at the same time: then it is looked at again. */
const attemptsMax = 10;

/** @param text  what to set; without, what was set is taken back @returns whether anything is another than before */
async function write(call: Call, meant: WebRealm, named: string, text: string | undefined): Promise<boolean> {
  const { actor, deps, ifMatch } = call;
  const { standing } = deps.realms;
  const isService = meant.id === standing.id;
  const isKnown = Object.hasOwn(configurationOf(deps).rows, named);
  // What is set is the directory's to refuse (STS-CORE-0004); there it has never been set.
  if (!isKnown && text === undefined) throw refuse(errors.settingUnknown, { name: named, field: 'name' });
  const dn = placeOf(call, meant);
  const read = () => actor.read(dn, ['stsSetting', 'entryCSN']);
  let entry = await read();
  for (let at = 1; ; at++) {
    if (ifMatch !== undefined && ifMatch !== tagOf(entry)) throw refuse(errors.changedMeanwhile);
    const old = settingsNamed(entry, named);
    if (text === undefined && old.length === 0) throw refuse(isService ? errors.nothingToReset : errors.nothingToClear, { name: named });
    const fresh = text === undefined ? [] : [`${named}=${text}`];
    if (old.length === fresh.length && old[0] === fresh[0]) return false;
    try {
      await inFields({ stssetting: isKnown ? 'value' : 'name' }, () =>
        entry === undefined && isService
          ? actor.add(dn, attributesOf({ objectClass: 'stsServiceSettings', cn: 'settings', stsSetting: fresh }))
          : actor.modify(dn, [...of('delete', old), ...of('add', fresh)], unchanged(call)),
      );
      return true;
    } catch (error) {
      const wasThere = entry !== undefined;
      entry = await read();
      const isOvertaken = (entry !== undefined) !== wasThere || settingsNamed(entry, named).join('\n') !== old.join('\n');
      if (at >= attemptsMax || !isOvertaken) throw error;
    }
  }
}

function settingsNamed(entry: ClientEntry | undefined, named: string): readonly string[] {
  return (entry?.all('stsSetting') ?? []).filter((each) => each.split('=', 1)[0]?.trim() === named);
}

function of(what: 'add' | 'delete', texts: readonly string[]): readonly Modification[] {
  return texts.length === 0 ? [] : [{ operation: what, attribute: { description: 'stsSetting', values: texts.map(utf8) } }];
}
