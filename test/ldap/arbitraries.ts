import fc from 'fast-check';
import type { Ava, Control, Filter, Message, PartialAttribute, Rdn, Request, Response, Result } from '#ldap';

/** Octets as plain Uint8Array, which is what the room gives. */
export const octets = fc.uint8Array({ maxLength: 200 });
const someOctets = fc.uint8Array({ minLength: 1, maxLength: 40 });
export const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const typeName = fc.constantFrom('cn', 'objectClass', 'X-a-1', '2.5.4.3', '1.3.6.1.4.1.1466.0');
export const description = fc.constantFrom('cn', 'sn;lang-de', 'userCertificate;binary', '2.5.4.3;x-1;y', 'a-1');
const number = fc.oneof(fc.nat(300), fc.nat(), fc.constant(2147483647));

const assertion = { description, value: octets };

export const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.record({ kind: fc.constantFrom('equality', 'greaterOrEqual', 'lessOrEqual', 'approx'), ...assertion }),
    fc.record({ kind: fc.constant('present' as const), description }),
    fc
      .record(
        {
          kind: fc.constant('substrings' as const),
          description,
          any: fc.array(someOctets, { maxLength: 3 }),
          initial: someOctets,
          final: someOctets,
        },
        { requiredKeys: ['kind', 'description', 'any'] },
      )
      .filter((one) => one.any.length > 0 || 'initial' in one || 'final' in one),
    fc
      .record(
        { kind: fc.constant('extensible' as const), value: octets, dnAttributes: fc.boolean(), description, rule: typeName },
        { requiredKeys: ['kind', 'value', 'dnAttributes'] },
      )
      .filter((one) => 'description' in one || 'rule' in one),
    fc.record({ kind: fc.constantFrom('and', 'or'), filters: fc.array(tie('filter'), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('not' as const), filter: tie('filter') }),
  ) as fc.Arbitrary<Filter>,
})).filter;

export const attribute: fc.Arbitrary<PartialAttribute> = fc.record({ description, values: fc.array(octets, { maxLength: 4 }) });
const attributes = fc.array(attribute, { maxLength: 5 });

const result = fc.record(
  { code: number, matchedDN: text, diagnostic: text, referral: fc.array(fc.webUrl(), { minLength: 1, maxLength: 3 }) },
  { requiredKeys: ['code', 'matchedDN', 'diagnostic'] },
) as fc.Arbitrary<Result>;

const authentication = fc.oneof(
  fc.record({ kind: fc.constant('simple' as const), password: octets }),
  fc.record({ kind: fc.constant('sasl' as const), mechanism: text, credentials: octets }, { requiredKeys: ['kind', 'mechanism'] }),
);

const request = fc.oneof(
  fc.record({ kind: fc.constant('bindRequest' as const), version: fc.nat(127), name: text, authentication }),
  fc.record({ kind: fc.constant('unbindRequest' as const) }),
  fc.record({
    kind: fc.constant('searchRequest' as const),
    baseObject: text,
    scope: fc.constantFrom('base', 'one', 'sub', 'children'),
    derefAliases: fc.constantFrom('never', 'inSearching', 'findingBaseObj', 'always'),
    sizeLimit: number,
    timeLimitS: number,
    typesOnly: fc.boolean(),
    filter,
    attributes: fc.array(text, { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('modifyRequest' as const),
    object: text,
    changes: fc.array(fc.record({ operation: fc.constantFrom('add', 'delete', 'replace', 'increment'), attribute }), { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('addRequest' as const), entry: text, attributes }),
  fc.record({ kind: fc.constant('delRequest' as const), entry: text }),
  fc.record(
    { kind: fc.constant('modifyDNRequest' as const), entry: text, newRdn: text, deleteOldRdn: fc.boolean(), newSuperior: text },
    { requiredKeys: ['kind', 'entry', 'newRdn', 'deleteOldRdn'] },
  ),
  fc.record({ kind: fc.constant('compareRequest' as const), entry: text, description, value: octets }),
  fc.record({ kind: fc.constant('abandonRequest' as const), messageId: number }),
  fc.record({ kind: fc.constant('extendedRequest' as const), oid: typeName, value: octets }, { requiredKeys: ['kind', 'oid'] }),
) as fc.Arbitrary<Request>;

const response = fc.oneof(
  fc.record({ kind: fc.constant('bindResponse' as const), result, serverSaslCreds: octets }, { requiredKeys: ['kind', 'result'] }),
  fc.record({ kind: fc.constant('searchResultEntry' as const), object: text, attributes }),
  fc.record({ kind: fc.constant('searchResultReference' as const), uris: fc.array(fc.webUrl(), { maxLength: 3 }) }),
  fc.record({
    kind: fc.constantFrom('searchResultDone', 'modifyResponse', 'addResponse', 'delResponse', 'modifyDNResponse', 'compareResponse'),
    result,
  }),
  fc.record({ kind: fc.constant('extendedResponse' as const), result, oid: typeName, value: octets }, { requiredKeys: ['kind', 'result'] }),
  fc.record({ kind: fc.constant('intermediateResponse' as const), oid: typeName, value: octets }, { requiredKeys: ['kind'] }),
) as fc.Arbitrary<Response>;

export const controls = fc.array(
  fc.record(
    { oid: fc.constantFrom('1.2.840.113556.1.4.319', '2.16.840.1.113730.3.4.2'), critical: fc.boolean(), value: octets },
    {
      requiredKeys: ['oid', 'critical'],
    },
  ),
  { maxLength: 3 },
) as fc.Arbitrary<Control[]>;

export const message: fc.Arbitrary<Message> = fc.record({ messageId: number, op: fc.oneof(request, response), controls });

const ava: fc.Arbitrary<Ava> = fc.record({
  type: typeName,
  value: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .string({ unit: fc.constantFrom(' ', '#', ',', '+', '"', '\\', '<', '>', ';', '=', 'a', 'é', '\0', '\n'), maxLength: 8 })
      .map((one) => new TextEncoder().encode(one)),
  ),
});
export const dn: fc.Arbitrary<Rdn[]> = fc.array(fc.array(ava, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
