import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import { faultOfAuthnPolicy, faultOfPasswordPolicy, readAuthnPolicy, takesEmail } from '#policy';
import type { Schema } from '#schema';
import type { EntryRecord, Snapshot } from '#store';
import { applicationMarks, checkApplication } from './applications.ts';
import type { Engine, EngineSettings, MailTextFault } from './engine.ts';
import { errors } from './errors.ts';
import { authnPolicyClass, passwordPolicyClass } from './policy-values.ts';
import { nameBelow, type Realm } from './realm.ts';
import type { Realms } from './realms.ts';
import { attributesOf } from './record.ts';
import { isOf, type Said, textsOf } from './said.ts';
import type { Decision } from './write.ts';

/** By what an entry of a policy is judged. */
export interface PolicyDesk {
  readonly schema: Schema;
  /** Whether a realm of such settings has a server to send mail by; without it, none has. */
  readonly canMail?: ((settings: EngineSettings) => boolean) | undefined;
  readonly mailTextFault?: MailTextFault | undefined;
}

const mailTextClass = 'stsMailText';

/** The words that every entry of a policy has one of, as entries hold them. */
const marks = [authnPolicyClass, 'Factor', 'Enrolment', 'stsEmailCode', 'stsPassword', 'stsMailText', ...applicationMarks].map((word) =>
  Buffer.from(word),
);

/**
 * Holds a write to what authentication policies can be: what nobody can have meant is refused in words, so that it does not keep people out later.
 *
 * @throws Refusal `policyUnfit` (19) with the attribute and why; `mailAbsent` (STS-AUTHN-0244, 19)
 */
export function checkPolicies(
  engine: Pick<Engine, 'schema' | 'realms' | 'canMail' | 'mailTextFault'>,
  snapshot: Snapshot,
  { changes }: Decision,
): void {
  for (const change of changes) {
    if (change.kind === 'delete' || !mayBePolicy(change.entry)) continue;
    const { entry } = change;
    const before = snapshot.byUuid(entry.uuid);
    const was = before && attributesOf(engine.schema, before);
    checkPolicy(engine, engine.realms.in(snapshot), entry.dnKey, attributesOf(engine.schema, entry), was);
  }
}

/** The same of an entry that comes in by another way than a request. */
export function checkPolicyAttributes(
  desk: PolicyDesk,
  realms: Pick<Realms, 'default' | 'owning'>,
  dnKey: Uint8Array,
  attributes: Said,
): void {
  checkPolicy(desk, realms, dnKey, attributes, undefined);
}

function mayBePolicy({ user }: Pick<EntryRecord, 'user'>): boolean {
  const octets = Buffer.from(user.buffer, user.byteOffset, user.byteLength);
  return marks.some((mark) => octets.includes(mark));
}

function checkPolicy(
  { schema, canMail = () => false, mailTextFault }: PolicyDesk,
  realms: Pick<Realms, 'default' | 'owning'>,
  dnKey: Uint8Array,
  attributes: Said,
  was: Said | undefined,
): void {
  if (isOf(schema, attributes, passwordPolicyClass)) {
    const wrong = faultOfPasswordPolicy(textsOf(attributes));
    if (wrong !== undefined) throw refuse(errors.policyUnfit, { ...wrong });
  }
  checkApplication(schema, realms, dnKey, attributes);
  if (isOf(schema, attributes, mailTextClass)) checkMailText(schema, realms, dnKey, attributes, mailTextFault);
  if (!isOf(schema, attributes, authnPolicyClass)) return;
  const realm = realms.owning(dnKey) ?? realms.default;
  const place = realm.authnPolicy;
  // One of another name would be in force nowhere, and whoever wrote it would not know.
  if (!equalBytes(dnKey, place.key))
    throw refuse(errors.policyUnfit, { attribute: 'objectClass', why: `the policy in force is ${place.text}` });
  const values = textsOf(attributes);
  const fault = faultOfAuthnPolicy(values);
  if (fault !== undefined) throw refuse(errors.policyUnfit, { ...fault });
  checkMail({ canMail }, realm, values, was === undefined || !isOf(schema, was, authnPolicyClass) ? undefined : textsOf(was));
}

/** The words of a mail: those of a mail that there is, where they are looked for, with all that it needs. */
function checkMailText(
  schema: Schema,
  realms: Pick<Realms, 'default' | 'owning'>,
  dnKey: Uint8Array,
  attributes: Said,
  mailTextFault: MailTextFault = () => undefined,
): void {
  const values = textsOf(attributes);
  const [kind = '', ...others] = values('cn');
  const { suffix } = realms.owning(dnKey) ?? realms.default;
  const place = nameBelow(schema, suffix, ['cn', kind], ['ou', 'mailTexts']);
  if (others.length > 0 || !equalBytes(dnKey, place.key))
    throw refuse(errors.policyUnfit, { attribute: 'objectClass', why: `the words of a mail stand at ${place.text}, with that one name` });
  const fault = mailTextFault(kind.toLowerCase(), values('stsmailsubject')[0] ?? '', values('stsmailbody')[0] ?? '');
  if (fault !== undefined) throw refuse(errors.policyUnfit, { ...fault });
}

/** Turning one on, where it was not: whoever loses their mail server later can still edit the rest. */
function checkMail(
  { canMail }: Required<Pick<PolicyDesk, 'canMail'>>,
  { settings }: Realm,
  values: ReturnType<typeof textsOf>,
  was: ReturnType<typeof textsOf> | undefined,
): void {
  const [is, before] = [readAuthnPolicy(values), was && readAuthnPolicy(was)];
  if (!takesEmail(is) || (before !== undefined && takesEmail(before)) || canMail?.(settings)) return;
  const attribute = takesEmail({ ...is, secondFactors: [] }) ? 'stsFirstFactor' : 'stsSecondFactor';
  throw refuse(errors.mailAbsent, { attribute });
}
