import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { encodeAttributes, type Filter, type PartialAttribute, type Result, type SearchRequest } from '#ldap';
import { compileFilter, describe } from '#schema';
import type { Call } from '../call.ts';
import { assertion } from '../controls/assertion.ts';
import { matchedValues } from '../controls/matched-values.ts';
import { supportedControls } from '../controls/table.ts';
import { errors } from '../errors.ts';
import { supportedExtensions } from '../extended/table.ts';
import { subschemaDn } from '../realm.ts';
import { superiorUris } from '../referrals.ts';
import { done } from '../result.ts';
import { supportedMechanisms } from '../sasl/table.ts';
import { subentryAttributes } from '../subschema/operations.ts';
import { matchedAttributes } from './matched.ts';
import type { Wanted } from './select.ts';

/** RFC 3673 (`+`), RFC 4529 (`@class`), RFC 4526 (empty and, or), RFC 3866 (language tags and ranges), RFC 4525 (increment). */
const features = [
  '1.3.6.1.4.1.4203.1.5.1',
  '1.3.6.1.4.1.4203.1.5.2',
  '1.3.6.1.4.1.4203.1.5.3',
  '1.3.6.1.4.1.4203.1.5.4',
  '1.3.6.1.4.1.4203.1.5.5',
  '1.3.6.1.1.14',
];

const vendor = 'Atrium';

/** The root DSE says what this server can do at this door; everybody may read it (RFC 4512 §5.1). */
export function searchRootDse(call: Call, request: SearchRequest, wanted: Wanted): Result {
  const { engine, connection } = call;
  const suffixes = engine.realms.in(engine.store.snapshot()).all.map(({ suffix }) => suffix.text);
  const attributes: readonly [name: string, values: readonly string[]][] = [
    ['objectClass', ['top', 'LDAProotDSE']],
    ['namingContexts', suffixes],
    ['subschemaSubentry', [subschemaDn]],
    ['supportedLDAPVersion', ['3']],
    ['supportedControl', supportedControls(connection)],
    ['supportedExtension', [...supportedExtensions(connection), ...(connection.extensions ?? [])]],
    ['supportedFeatures', features],
    ['dynamicSubtrees', suffixes],
    ['supportedSASLMechanisms', supportedMechanisms(call)],
    ['ref', superiorUris(engine)],
    ['vendorName', [vendor]],
    ['vendorVersion', [engine.version]],
    ['entryDN', ['']],
  ];
  answer(call, request, wanted, '', attributes.map(texts));
  return done;
}

/** The subschema subentry describes the schema; everybody may read it (RFC 4512 §4.2). */
export function searchSubschema(call: Call, request: SearchRequest, wanted: Wanted): Result {
  // Nothing is below it.
  if (request.scope === 'one' || request.scope === 'children') return done;
  answer(call, request, wanted, subschemaDn, subentryAttributes(call));
  return done;
}

function texts([description, values]: readonly [string, readonly string[]]): PartialAttribute {
  return { description, values: values.map(utf8) };
}

function answer(call: Call, request: SearchRequest, wanted: Wanted, dn: string, attributes: readonly PartialAttribute[]): void {
  const { schema } = call.engine;
  const held = new Map<string, PartialAttribute>();
  const shown: PartialAttribute[] = [];
  for (const attribute of attributes) {
    const described = describe(schema, attribute.description);
    if (described === undefined || attribute.values.length === 0) continue;
    held.set(described.key, attribute);
    if (!wanted.holds(described.type, described.options)) continue;
    shown.push(request.typesOnly ? { description: attribute.description, values: [] } : attribute);
  }
  const isTrue = (filter: Filter) => compileFilter(schema, filter)({ dn: [], attributes: held }) === true;
  const asserted = call.controls.of(assertion);
  if (asserted !== undefined && !isTrue(asserted)) throw refuse(errors.assertionFailed);
  if (!isTrue(request.filter)) return;
  const items = request.typesOnly ? undefined : call.controls.of(matchedValues);
  call.reply.entry(utf8(dn), [encodeAttributes(items === undefined ? shown : matchedAttributes(schema, items, shown))]);
}
