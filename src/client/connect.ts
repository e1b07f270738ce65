import type { Log } from '#audit';
import { type Clock, concat, utf8 } from '#base';
import { refuse, type SettingValues } from '#catalogue';
import { type Control, resultCodes } from '#ldap';
import { type Actor, actorOf, onBehalf, type Subject } from './actor.ts';
import { type PasswordChange, type PasswordChanged, passwordChangedOf, passwordModifyOid, passwordModifyValue } from './change-password.ts';
import { errors } from './errors.ts';
import { doorControlOid, type Limited, limitOf } from './limited.ts';
import type { Link } from './link.ts';
import { createFreshness, createOpener, JudgingPool, SharedPool } from './pool.ts';
import { ClientRefusal } from './refusal.ts';
import { createReport } from './report.ts';
import type { settings as rows } from './settings.ts';
import { performTogether, type Update, type UpdateRefused } from './together.ts';
import { type Verification, type Verified, verifiedOf, verifyControls, verifyOid, verifyValue } from './verify.ts';

/** A password that someone typed, and where. */
export interface Presented {
  readonly dn: string;
  /** A text stands for its UTF-8. */
  readonly password: string | Uint8Array;
  /** The web layer's door: `signin`. */
  readonly door: string;
  /** The browser's address. */
  readonly address: string;
  /** Whether nobody could read it on the way from the browser; not, when absent. */
  readonly isProtected?: boolean;
}

export type Judgement =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: number; readonly diagnostic: string }
  | Limited;

/** The web layer's way to the directory: LDAP over the private socket, and nothing else. */
export interface DirectoryClient {
  /**
   * Lets the directory judge a password by a bind, on a connection that does nothing else. Refused whatever the reason: wrong, unknown,
   * disabled and without a password look alike.
   *
   * @throws Refusal STS-CORE-9100 to 9103 when the directory cannot be asked
   * @throws ClientRefusal when it cannot judge: busy (51), unavailable (52)
   */
  judge(presented: Presented): Promise<Judgement>;
  /**
   * Lets the directory judge what somebody shows beside a password, and spend it: answered `accepted` when that is on disk.
   *
   * @throws Refusal STS-CORE-9100 to 9103 when the directory cannot be asked
   * @throws ClientRefusal when it was not judged: it cannot be written (51, 52), or not by who asks (50)
   */
  verify(asked: Verification): Promise<Verified>;
  /**
   * Changes a password in its person's own name, who shows the old one: Password Modify (RFC 3062), judged and counted as the directory does it for everybody.
   *
   * @throws Refusal STS-CORE-9100 to 9103 when the directory cannot be asked
   * @throws ClientRefusal when nothing was judged (51, 52), or they may not (50)
   */
  changePassword(asked: PasswordChange): Promise<PasswordChanged>;
  /**
   * Has the service look for mails that are due.
   *
   * @throws Refusal STS-CORE-9100 to 9103 when the directory cannot be asked
   * @throws ClientRefusal when it does not
   */
  wakeMails(): Promise<void>;
  /**
   * Makes several changes under a person's authority, all or none.
   *
   * @returns the first that is refused; nothing when all are made
   * @throws ClientRefusal when it is none of theirs: too many of them, say; Refusal STS-CORE-9100 to 9103
   */
  together(subject: Exclude<Subject, 'self'>, updates: readonly Update[]): Promise<UpdateRefused | undefined>;
  /** Acts under a person's authority, or the web layer's own. */
  as(subject: Subject): Actor;
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly socketPath: string;
  /** The secret of this start, which makes a connection the web layer's. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly settings: SettingValues<typeof rows>;
  /** Where operators are told why the directory cannot be asked. */
  readonly log?: Pick<Log, 'warn'>;
}

const arc = '2.25.83716444157178576224225129172109131643';
const showSecretOid = `${arc}.6.1`;
const wakeMailsOid = `${arc}.6.125`;
/** Transactions under way at a time: each keeps its updates in the directory's memory. */
const transactionsMax = 2;
/** Passwords in clear are hashed one after the other before a transaction is decided. */
const togetherMs = 600_000;
/** What remains of a door's name or an address in the control, whose lengths take one octet each. */
const doorOctetsMax = 60;

/** Makes the client. The first request opens the first connection; each one that ends is made again when it is needed. */
export function connectDirectory({ socketPath, secret, clock, settings, log }: ConnectOptions): DirectoryClient {
  const report = createReport(log, clock);
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      report(error);
      throw error;
    }
  };
  const linkOptions = () => ({
    socketPath,
    connectTimeoutMs: settings['client.connectTimeoutMs'],
    answerOctetsMax: settings['client.answerOctetsMax'],
    backOffMaxMs: settings['client.backOffMaxMs'],
  });
  const showSecret = async (link: Link) => {
    const { op } = await link.perform({ kind: 'extendedRequest', oid: showSecretOid, value: secret }, [], {
      timeoutMs: settings['client.connectTimeoutMs'],
    });
    if (op.result.code !== resultCodes.success) throw refuse(errors.notTrusted, { code: op.result.code });
  };
  const opener = createOpener(linkOptions, showSecret, clock);
  const waitingMax = () => settings['client.waitingMax'];
  const freshness = createFreshness(clock, () => settings['client.idleMs']);
  const shared = new SharedPool(opener, freshness, () => settings['client.poolSize'], waitingMax);
  const judging = new JudgingPool(opener, freshness, () => settings['client.judgingMax'], waitingMax);

  const alone = new JudgingPool(opener, freshness, () => transactionsMax, waitingMax);

  const acting = (subject: Subject) =>
    actorOf(
      subject,
      (op, controls, options) =>
        telling(shared.use((link) => link.perform(op, controls, { timeoutMs: settings['client.timeoutMs'], ...options }))),
      () => settings['client.entriesMax'],
    );
  const self = acting('self');

  return {
    judge: async ({ dn, password, door, address, isProtected = false }) => {
      const octets = typeof password === 'string' ? utf8(password) : password;
      // RFC 4513 §5.1.2: a bind without a password is anonymous and may succeed. It says nothing about a person.
      if (octets.length === 0 || dn === '') return { kind: 'refused', code: resultCodes.invalidCredentials, diagnostic: '' };
      const control = doorControl(door, address, isProtected);
      const { op, controls } = await telling(
        judging.use((link) =>
          link.perform({ kind: 'bindRequest', version: 3, name: dn, authentication: { kind: 'simple', password: octets } }, [control], {
            timeoutMs: settings['client.timeoutMs'],
          }),
        ),
      );
      const { code, diagnostic } = op.result;
      if (code === resultCodes.success) return { kind: 'accepted' };
      const limited = limitOf(controls);
      if (limited !== undefined) return limited;
      // Codes that say something about the password, or about its name. Anything else means that nobody judged it.
      if (judged.has(code)) return { kind: 'refused', code, diagnostic };
      throw new ClientRefusal(op.result);
    },
    verify: async (asked) => {
      const { door, address, isProtected = false } = asked;
      const controls = verifyControls(asked, doorControl(door, address, isProtected), onBehalf(asked));
      const { op, controls: answered } = await telling(
        shared.use((link) =>
          link.perform({ kind: 'extendedRequest', oid: verifyOid, value: verifyValue(asked) }, controls, {
            timeoutMs: settings['client.timeoutMs'],
          }),
        ),
      );
      const limited = limitOf(answered);
      if (limited !== undefined) return limited;
      if (op.kind !== 'extendedResponse') throw new ClientRefusal(op.result);
      return verifiedOf(op);
    },
    changePassword: async (asked) => {
      const { address, isProtected } = asked.session;
      const controls = [doorControl(asked.door, address, isProtected), ...onBehalf(asked)];
      const { op, controls: answered } = await telling(
        shared.use((link) =>
          link.perform({ kind: 'extendedRequest', oid: passwordModifyOid, value: passwordModifyValue(asked) }, controls, {
            timeoutMs: settings['client.timeoutMs'],
          }),
        ),
      );
      return passwordChangedOf(op.result, limitOf(answered));
    },
    wakeMails: async () => {
      const { op } = await telling(
        shared.use((link) => link.perform({ kind: 'extendedRequest', oid: wakeMailsOid }, [], { timeoutMs: settings['client.timeoutMs'] })),
      );
      if (op.result.code !== resultCodes.success) throw new ClientRefusal(op.result);
    },
    together: (subject, updates) =>
      telling(
        alone.use(async (link) => {
          try {
            return await performTogether(link, updates, onBehalf(subject), togetherMs);
          } catch (error) {
            // What is not ended ends with its connection.
            if (!(error instanceof ClientRefusal)) link.close();
            throw error;
          }
        }),
      ),
    as: (subject) => (subject === 'self' ? self : acting(subject)),
    close: async () => {
      shared.close();
      judging.close();
      alone.close();
    },
  };
}

const judged: ReadonlySet<number> = new Set([
  resultCodes.noSuchObject,
  resultCodes.invalidDNSyntax,
  resultCodes.inappropriateAuthentication,
  resultCodes.invalidCredentials,
  resultCodes.insufficientAccessRights,
  resultCodes.unwillingToPerform,
  resultCodes.constraintViolation,
]);

/** SEQUENCE { door OCTET STRING, address OCTET STRING, protected BOOLEAN DEFAULT FALSE } in DER. */
function doorControl(door: string, address: string, isProtected: boolean): Control {
  const strings = [door, address].map((string) => {
    const octets = utf8(string).subarray(0, doorOctetsMax);
    return concat([Uint8Array.of(0x04, octets.length), octets]);
  });
  const content = concat(isProtected ? [...strings, Uint8Array.of(0x01, 0x01, 0xff)] : strings);
  return { oid: doorControlOid, critical: true, value: concat([Uint8Array.of(0x30, content.length), content]) };
}
