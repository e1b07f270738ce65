// What Apache Directory Studio and JXplorer ask when someone connects with them, request by request. Sources, as they were read:
// - github.com/apache/directory-studio at e55b93d: InitializeRootDSERunnable, ReloadSchemaRunnable, InitializeChildrenRunnable,
//   InitializeAttributesRunnable and SearchRunnable (ldapbrowser.core/jobs), SearchParameter and BrowserConnection (…/model), Controls (connection.core);
// - github.com/pegacat/jxplorer at 034d3fa: JNDIDataBroker.openConnection and readFallbackRoot, JNDIOps (exists, read, list), SchemaOps, JXConfig.
//   With its `java.naming.referral` of `ignore` JNDI sends ManageDsaIT with every search, not critical.
import test, { type ExecutionContext } from 'ava';
import { encodeBer, parseAttributeType, parseMatchingRule, parseObjectClass, parseSyntax } from '#ldap';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { connectProgram, manageDsaIt, type Program, startPeopled } from './replay.ts';

const ldapTest = withLdapUtils(test);

let started: ReturnType<typeof startPeopled> | undefined;
const serve = () => {
  started ??= startPeopled(30);
  return started;
};
test.after.always(async () => (await started)?.[Symbol.asyncDispose]());

async function connect(): Promise<{
  readonly program: Program;
  readonly suffix: string;
  readonly administrator: readonly [string, string];
}> {
  const atrium = await serve();
  return { program: await connectProgram(atrium), suffix: atrium.suffix, administrator: [atrium.adminDn, atrium.adminPassword] };
}

/** Each definition can be read by the grammar of RFC 4512 §4.1. */
function readable(
  t: ExecutionContext,
  texts: readonly string[] | undefined,
  parse: (text: string) => { readonly kind: string },
  least: number,
): void {
  t.true((texts ?? []).length >= least, `${texts?.length} definitions`);
  t.deepEqual(
    (texts ?? []).filter((text) => parse(text).kind === 'bad'),
    [],
  );
}

ldapTest('Directory Studio: the root DSE has what it builds its tree, its schema and its features from', async (t) => {
  const { program, suffix, administrator } = await connect();
  t.is(await program.bind(...administrator), 0);
  const named = ['namingContexts', 'subschemaSubentry', 'supportedLDAPVersion', 'supportedSASLMechanisms', 'supportedExtension'];
  const attributes = [...named, 'supportedControl', 'supportedFeatures', 'vendorName', 'vendorVersion', '+', 'objectClass'];
  const asked = { base: '', scope: 'base', filter: '(objectClass=*)' } as const;
  const told = await program.ask({ ...asked, attributes });
  const root = told.entries.get('') ?? {};
  t.deepEqual([told.code, root['namingContexts'], root['supportedLDAPVersion']], [0, [suffix], ['3']]);
  // By this feature it asks for operational attributes as `+`, and else names every one of them.
  t.true(root['supportedFeatures']?.includes('1.3.6.1.4.1.4203.1.5.1'));
  for (const name of ['subschemaSubentry', 'supportedControl', 'supportedExtension', 'vendorName', 'objectClass'])
    t.truthy(root[name], name);
  // Two searches, since there are servers that do not take `*` beside `+`.
  t.truthy((await program.ask({ ...asked, attributes: ['*'] })).entries.get('')?.['objectClass']);
});

ldapTest('Directory Studio: finds the schema by the root DSE, and reads each definition', async (t) => {
  const { program } = await connect();
  const always = { scope: 'base', derefAliases: 'always' } as const;
  const place = await program.ask({ ...always, base: '', filter: '(objectClass=*)', attributes: ['subschemaSubentry'] });
  const base = place.entries.get('')?.['subschemaSubentry']?.[0] ?? '';
  const parts = ['objectClasses', 'attributeTypes', 'ldapSyntaxes', 'matchingRules', 'matchingRuleUse'];
  const attributes = [...parts, 'createTimestamp', 'modifyTimestamp'];
  const { entries } = await program.ask({ ...always, base, filter: '(objectClass=subschema)', attributes });
  const [[dn, schema] = []] = entries;
  t.is(dn, base);
  readable(t, schema?.['objectClasses'], parseObjectClass, 30);
  readable(t, schema?.['attributeTypes'], parseAttributeType, 100);
  readable(t, schema?.['ldapSyntaxes'], parseSyntax, 20);
  readable(t, schema?.['matchingRules'], parseMatchingRule, 20);
  // It asks for this one with each entry of the tree where the schema has it.
  t.true(schema?.['attributeTypes']?.some((text) => /NAME 'hasSubordinates'/.test(text)));
});

ldapTest('Directory Studio: the base entries, their children and one entry whole, with which of them have children', async (t) => {
  const { program, suffix, administrator } = await connect();
  await program.bind(...administrator);
  const attributes = ['hasSubordinates', 'objectClass'];
  const node = { filter: '(objectClass=*)', attributes, derefAliases: 'always' } as const;
  const place = await program.ask({ base: '', scope: 'base', filter: '(objectClass=*)', attributes: ['subschemaSubentry'] });
  // It takes the names as they stand in the root DSE, and looks for its answers under them.
  for (const base of [suffix, place.entries.get('')?.['subschemaSubentry']?.[0] ?? '']) {
    const { code, entries } = await program.ask({ ...node, base, scope: 'base', sizeLimit: 1 });
    t.deepEqual([code, [...entries.keys()]], [0, [base]]);
    t.deepEqual(Object.keys(entries.get(base) ?? {}).toSorted(), attributes.toSorted());
  }
  const top = await program.ask({ ...node, base: suffix, scope: 'one', sizeLimit: 1000 });
  t.deepEqual(top.entries.get(`ou=people,${suffix}`)?.['hasSubordinates'], ['TRUE']);
  const people = await program.ask({ ...node, base: `ou=people,${suffix}`, scope: 'one', sizeLimit: 1000 });
  t.deepEqual(people.entries.get(`uid=jmueller,ou=people,${suffix}`)?.['hasSubordinates'], ['FALSE']);
  // Its option for pages: a hundred to a page, not critical.
  const paged = await program.askPaged({ ...node, base: `ou=row,ou=lab,${suffix}`, scope: 'one', sizeLimit: 1000 }, 10);
  t.deepEqual([paged.entries.size, paged.pages], [25, 3]);
  const whole = await program.ask({ ...node, base: `uid=lab01,ou=row,ou=lab,${suffix}`, scope: 'base', attributes: ['*', '+'] });
  const entry = whole.entries.get(`uid=lab01,ou=row,ou=lab,${suffix}`) ?? {};
  for (const name of ['cn', 'uidNumber', 'entryUUID', 'createTimestamp', 'modifiersName', 'structuralObjectClass'])
    t.truthy(entry[name], name);
});

ldapTest(
  'Directory Studio: its searches for subentries, aliases and referrals below an entry find none where there are none',
  async (t) => {
    const { program, suffix, administrator } = await connect();
    await program.bind(...administrator);
    const subentries = { oid: '1.3.6.1.4.1.4203.1.10.1', critical: false, value: encodeBer((ber) => ber.boolean(true)) };
    const asked = { base: `ou=lab,${suffix}`, scope: 'one', attributes: ['hasSubordinates', 'objectClass'], sizeLimit: 1000 } as const;
    for (const [filter, controls] of [
      ['(|(objectClass=subentry)(objectClass=ldapSubentry))', [subentries]],
      ['(objectClass=alias)', []],
      ['(objectClass=referral)', [manageDsaIt]],
      ['(|(objectClass=alias)(objectClass=referral))', [manageDsaIt]],
    ] as const) {
      const { code, entries } = await program.ask({ ...asked, filter, controls });
      t.deepEqual([code, entries.size], [0, 0], filter);
    }
  },
);

ldapTest('JXplorer: connects, finds root and schema, lists and reads', async (t) => {
  const { program, suffix, administrator } = await connect();
  t.is(await program.bind(...administrator), 0);
  const asked = { scope: 'base', filter: '(objectclass=*)', derefAliases: 'findingBaseObj', controls: [manageDsaIt] } as const;
  const read = (base: string, ...attributes: string[]) => program.ask({ ...asked, filter: '(objectClass=*)', base, attributes });
  t.is((await program.ask({ ...asked, base: '', attributes: [] })).entries.size, 1);

  const place = (await read('', 'subschemaSubentry')).entries.get('')?.['subschemaSubentry']?.[0] ?? '';
  t.regex(place, /^[a-z]+=/i);
  const [schema = {}] = (await read(place, 'attributeTypes', 'objectClasses', 'matchingRules', 'ldapSyntaxes', '*')).entries.values();
  readable(t, schema['attributeTypes'], parseAttributeType, 100);
  readable(t, schema['objectClasses'], parseObjectClass, 30);
  // It shows values as octets by the syntax of their type.
  const photo = schema['attributeTypes']?.find((text) => text.includes("'jpegPhoto'")) ?? '';
  t.regex(photo, /SYNTAX 1\.3\.6\.1\.4\.1\.1466\.115\.121\.1\.(28|40|5)\b/);

  t.deepEqual((await read('', 'namingContexts')).entries.get('')?.['namingContexts'], [suffix]);
  const listed = await program.ask({ ...asked, base: `ou=row,ou=lab,${suffix}`, scope: 'one', attributes: ['objectclass'] });
  t.is(listed.entries.size, 25);
  // It draws an entry by its classes, and asks for them in lower case.
  for (const entry of listed.entries.values()) t.true(Object.values(entry)[0]?.includes('inetOrgPerson'));
  const person = `uid=jmueller,ou=people,${suffix}`;
  t.truthy((await read(person)).entries.get(person)?.['jpegPhoto']);
  const gone = await program.ask({ ...asked, base: `cn=gone,ou=lab,${suffix}`, attributes: [] });
  t.deepEqual([gone.code, gone.matchedDN], [32, `ou=lab,${suffix}`]);
});

ldapTest('both, not signed in: root DSE and schema can be read, and the tree is empty', async (t) => {
  const { program, suffix } = await connect();
  t.is((await program.ask({ base: '', scope: 'base', filter: '(objectClass=*)', attributes: ['namingContexts'] })).entries.size, 1);
  t.is(
    (await program.ask({ base: 'cn=subschema', scope: 'base', filter: '(objectClass=subschema)', attributes: ['objectClasses'] })).entries
      .size,
    1,
  );
  t.is((await program.ask({ base: suffix, scope: 'one', filter: '(objectClass=*)', attributes: ['objectClass'] })).entries.size, 0);
});
