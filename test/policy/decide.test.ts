import test from 'ava';
import { decide, type Next, type Situation } from '#policy';
import { nothing, offers, policy, standing } from './situations.ts';

type Ask = Next & { readonly step: 'ask' };
type Given = { readonly [Name in keyof Situation]?: Situation[Name] };

const ask = (mechanism: Ask['mechanism'], others: Ask['others'] = []): Next => ({
  step: 'ask',
  mechanism,
  role: 'second',
  enrols: false,
  others,
});
const enrolKey: Next = { step: 'ask', mechanism: 'security-key', role: 'second', enrols: true, others: [] };
const askKeyAlone: Next = { step: 'ask', mechanism: 'security-key', role: 'first', enrols: false, others: [] };
const both = ['authenticator-app', 'security-key'] as const;
const mustEnrol: Next = { step: 'enrol', required: true, choices: both };
const mayEnrol: Next = { step: 'enrol', required: false, choices: both };
const refused = (why: (Next & { step: 'refuse' })['why'], names: (Next & { step: 'refuse' })['names'] = []): Next => ({
  step: 'refuse',
  why,
  names,
});
const done = (amr: readonly string[], acr: string, ...mechanisms: Ask['mechanism'][]): Next => ({ step: 'done', amr, acr, mechanisms });
const passwordAlone = done(['pwd'], '1', 'password');

const first = (mechanism: Ask['mechanism']) => [{ mechanism, role: 'first' }] as const;
const then = (mechanism: Ask['mechanism'], before: Ask['mechanism'] = 'password') =>
  [
    { mechanism: before, role: 'first' },
    { mechanism, role: 'second' },
  ] as const;
const ticked = (...boxes: readonly ('secondFactor' | 'passwordless')[]) => ({
  secondFactor: boxes.includes('secondFactor'),
  passwordless: boxes.includes('passwordless'),
});
const passwordless: Given = { proven: [], ticked: ticked('passwordless'), holds: { ...nothing, primaryKey: true } };
const mfaKey = { ...nothing, mfaKey: true };
const app = { ...nothing, app: true };
const withMail: Situation['policy'] = {
  ...policy,
  firstFactors: [...policy.firstFactors, 'email-code'],
  secondFactors: [...policy.secondFactors, 'email-code'],
};
const always: Situation['policy'] = { ...policy, requireSecondFactor: 'always' };
const administrators = (field: 'offer' | 'always' | 'if-held'): Situation['policy'] => ({
  ...policy,
  requireSecondFactorForAdministrators: field,
});
const off = (...mechanisms: readonly Ask['mechanism'][]): Situation['offers'] => ({
  ...offers,
  ...Object.fromEntries(mechanisms.map((each) => [each, { first: false, second: false, enrol: false, off: `${each} is off` }])),
});

const tables: Readonly<Record<string, readonly (readonly [title: string, given: Given, next: Next])[]>> = {
  'amr and acr': [
    ['password alone', {}, done(['pwd'], '1', 'password')],
    ['security key as second factor', { proven: then('security-key') }, done(['pwd', 'hwk'], 'mfa', 'password', 'security-key')],
    ['security key as only credential', { ...passwordless, proven: first('security-key') }, done(['hwk'], '1', 'security-key')],
    ['authenticator app code', { proven: then('authenticator-app') }, done(['pwd', 'otp'], 'mfa', 'password', 'authenticator-app')],
    ['recovery code', { proven: then('recovery-code') }, done(['pwd', 'otp'], 'mfa', 'password', 'recovery-code')],
    ['emailed code, alone', { proven: first('email-code'), policy: withMail }, done(['otp'], '1', 'email-code')],
    [
      'emailed code, after another factor',
      { proven: then('email-code'), policy: withMail },
      done(['otp'], 'mfa', 'password', 'email-code'),
    ],
  ],
  'which second factor is asked for': [
    ['holds nothing, box unticked: nothing (one factor)', {}, passwordAlone],
    [
      'holds nothing, second-factor box ticked: the security-key ceremony, enrolling on first use',
      { ticked: ticked('secondFactor') },
      enrolKey,
    ],
    ['holds an mfa key: the key', { holds: mfaKey }, ask('security-key')],
    ['holds an authenticator app: the code', { holds: app }, ask('authenticator-app')],
    [
      'holds an authenticator app, box ticked: the code, and no key is enrolled',
      { holds: app, ticked: ticked('secondFactor') },
      ask('authenticator-app'),
    ],
    ['holds both: the key, with a link to the code', { holds: { ...mfaKey, app: true } }, ask('security-key', ['authenticator-app'])],
    ['holds a primary key, passwordless box ticked: the passwordless ceremony', passwordless, askKeyAlone],
    [
      'holds a primary key, types the password: one factor, for a primary key is none beside a password',
      { holds: { ...nothing, primaryKey: true } },
      passwordAlone,
    ],
  ],
  'recovery codes': [
    [
      'never the factor that is asked for: a link on the code step',
      { holds: { ...app, recoveryCodes: 3 } },
      ask('authenticator-app', ['recovery-code']),
    ],
    ['a link on the key step', { holds: { ...mfaKey, recoveryCodes: 3 } }, ask('security-key', ['recovery-code'])],
    ['holding only a set does not make a second factor required', { holds: { ...nothing, recoveryCodes: 3 } }, passwordAlone],
    ['no link where none is left', { holds: { ...app, recoveryCodes: 0 } }, ask('authenticator-app')],
    [
      'no link on the step of an emailed code',
      { holds: { ...nothing, email: 'good', recoveryCodes: 3 }, policy: withMail },
      ask('email-code'),
    ],
    [
      'no link where the policy does not accept them',
      { holds: { ...app, recoveryCodes: 3 }, policy: { ...policy, secondFactors: ['authenticator-app'] } },
      ask('authenticator-app'),
    ],
  ],
  'emailed code or link': [
    [
      'a person holding an app is asked for that first and offered email as a way round',
      { holds: { ...app, email: 'good' }, policy: withMail },
      ask('authenticator-app', ['email-code']),
    ],
    ['holds nothing else: the mail', { holds: { ...nothing, email: 'good' }, policy: withMail }, ask('email-code')],
    ['off in the built-in policy: nothing', { holds: { ...nothing, email: 'good' } }, passwordAlone],
    [
      'never the second factor after an emailed first factor: an app is asked for, without mail as a way round',
      { proven: first('email-code'), holds: { ...app, email: 'good' }, policy: withMail },
      ask('authenticator-app'),
    ],
    [
      'an emailed first factor and nothing else is one factor',
      { proven: first('email-code'), holds: { ...nothing, email: 'good' }, policy: withMail },
      done(['otp'], '1', 'email-code'),
    ],
    [
      'an emailed first factor where two are required: one that is not mailed is to be enrolled',
      { proven: first('email-code'), holds: { ...nothing, email: 'good' }, policy: { ...withMail, requireSecondFactor: 'always' } },
      mustEnrol,
    ],
    [
      'never satisfies a step-up on risk, and with a password alone nothing is enrolled beside it',
      { holds: { ...nothing, email: 'good' }, policy: withMail, risk: 'step-up' },
      refused('emailNotEnough'),
    ],
    [
      'turned off for failures: a password alone is still not enough',
      { holds: { ...nothing, email: 'failed' }, policy: withMail },
      refused('secondFactorImpossible', [{ mechanism: 'email-code', attribute: 'stsEmailFailures' }]),
    ],
    [
      'a demand for a hardware key: with a password alone no key is enrolled beside the mail',
      { holds: { ...nothing, email: 'good' }, policy: withMail, demand: { acrValues: ['hwk'] } },
      refused('hardwareKeyDemanded'),
    ],
    [
      'refuseEmailFactor: a password alone does not do in its place',
      { holds: { ...nothing, email: 'good' }, policy: withMail, demand: { refuseEmail: true } },
      refused('emailNotEnough'),
    ],
    [
      'nothing can be mailed: a password alone is still not enough',
      {
        holds: { ...nothing, email: 'good' },
        policy: withMail,
        offers: { ...offers, 'email-code': { first: false, second: false, enrol: false, off: 'mail.smtpHost' } },
      },
      refused('secondFactorImpossible', ['mail.smtpHost']),
    ],
    [
      'a mailed one that was shown before the risk was known is not enough',
      { proven: then('email-code'), policy: withMail, risk: 'step-up' },
      refused('emailNotEnough'),
    ],
    [
      'refuseEmailFactor: not asked for',
      { holds: { ...app, email: 'good' }, policy: withMail, demand: { refuseEmail: true } },
      ask('authenticator-app'),
    ],
  ],
  'demands by a relying party': [
    ...(['mfa', 'hwk', 'phr', 'phrh'] as const).flatMap((acr): (readonly [string, Given, Next])[] => [
      [`acr_values ${acr} ticks the second-factor box`, { demand: { acrValues: [acr] } }, enrolKey],
      [
        `acr_values ${acr}: the server refuses the passwordless path`,
        { ...passwordless, demand: { acrValues: [acr] } },
        refused('passwordlessRefused'),
      ],
    ]),
    ['acr_values that one factor can meet demand nothing', { demand: { acrValues: ['mfa', '1'] } }, passwordAlone],
    ['acr_values mfa is met by a code', { holds: app, demand: { acrValues: ['mfa'] } }, ask('authenticator-app')],
    ['acr_values that nobody knows are refused in words', { demand: { acrValues: ['urn:x'] } }, refused('demandUnknown', ['urn:x'])],
    [
      'a demand for a hardware key asks for the key alone among what is held',
      { holds: { ...mfaKey, app: true, recoveryCodes: 3 }, demand: { acrValues: ['hwk'] } },
      ask('security-key'),
    ],
    [
      'a demand for a hardware key refuses the code step (STS-AUTHN-0204)',
      { holds: app, demand: { acrValues: ['hwk'] } },
      refused('hardwareKeyDemanded'),
    ],
    [
      'and a code that was shown all the same',
      { proven: then('authenticator-app'), holds: app, demand: { hardwareKey: true } },
      refused('hardwareKeyDemanded'),
    ],
    [
      'and a recovery code',
      { proven: then('recovery-code'), holds: mfaKey, demand: { hardwareKey: true } },
      refused('hardwareKeyDemanded'),
    ],
    ['wauth for a hardware token allows a key alone', { ...passwordless, demand: { hardwareKey: true } }, askKeyAlone],
    [
      'and is met by it',
      { ...passwordless, proven: first('security-key'), demand: { hardwareKey: true } },
      done(['hwk'], '1', 'security-key'),
    ],
    ['or a key after a password', { holds: mfaKey, demand: { hardwareKey: true } }, ask('security-key')],
    [
      'wauth for multi-factor: a passwordless key does not meet it',
      { ...passwordless, demand: { factors: 'two' } },
      refused('passwordlessRefused'),
    ],
    [
      'nor one that was shown all the same',
      { ...passwordless, proven: first('security-key'), demand: { factors: 'two' } },
      refused('passwordlessRefused'),
    ],
    [
      'two factors where keys are off: an app is to be enrolled',
      { demand: { factors: 'two' }, offers: off('security-key') },
      { step: 'enrol', required: true, choices: ['authenticator-app'] },
    ],
    [
      'a hardware key where keys are off is refused',
      { demand: { hardwareKey: true }, offers: off('security-key') },
      refused('hardwareKeyDemanded'),
    ],
  ],
  'requiring a second factor': [
    ['always, holds none: /authn/mfa-setup', { policy: always }, mustEnrol],
    ['stsMfaRequired, holds none: /authn/mfa-setup', { mfaRequired: true }, mustEnrol],
    ['stsMfaRequired, holds an app: the code', { mfaRequired: true, holds: app }, ask('authenticator-app')],
    ['what was chosen there is enrolled', { policy: always, enrolling: 'security-key' }, enrolKey],
    ['or the app', { policy: always, enrolling: 'authenticator-app' }, { ...(enrolKey as Ask), mechanism: 'authenticator-app' }],
    ['Ignore is of no use where it is required', { policy: always, declined: true }, mustEnrol],
    [
      'an app that was enrolled on the way is asked for: its confirming code does not sign in',
      { policy: always, holds: app, enrolling: 'authenticator-app' },
      ask('authenticator-app'),
    ],
    ['always: a passwordless sign-in is refused (STS-AUTHN-0171)', { ...passwordless, policy: always }, refused('passwordlessRefused')],
    [
      'stsMfaRequired: a passwordless sign-in is refused (STS-AUTHN-0171)',
      { ...passwordless, mfaRequired: true },
      refused('passwordlessRefused'),
    ],
    [
      'always and both mechanisms are off: refused, and the settings are named (STS-AUTHN-0172)',
      { policy: always, offers: off('security-key', 'authenticator-app') },
      refused('secondFactorImpossible', ['security-key is off', 'authenticator-app is off']),
    ],
    [
      'the app’s enrolment row is off: a key alone can be enrolled',
      { policy: { ...always, totpEnrolment: false } },
      { step: 'enrol', required: true, choices: ['security-key'] },
    ],
    [
      'a row that is off stops new enrolments only, never an app that is held',
      { holds: app, policy: { ...policy, totpEnrolment: false } },
      ask('authenticator-app'),
    ],
    [
      'the key that is held is off: the password alone is not enough',
      { holds: mfaKey, offers: off('security-key') },
      refused('secondFactorImpossible', ['security-key is off']),
    ],
  ],
  administrators: [
    ['offer, holds none: offered', { administrator: 'role' }, mayEnrol],
    ['offer, Ignore: the password alone', { administrator: 'role', declined: true }, passwordAlone],
    ['offer, what was chosen is enrolled', { administrator: 'role', enrolling: 'security-key' }, enrolKey],
    [
      'offered after the password, and not after another first factor',
      { administrator: 'role', proven: first('email-code'), policy: withMail },
      done(['otp'], '1', 'email-code'),
    ],
    ['always, holds none: required', { administrator: 'role', policy: administrators('always') }, mustEnrol],
    ['always, Ignore: still required', { administrator: 'role', policy: administrators('always'), declined: true }, mustEnrol],
    ['if-held, holds none: treated like everybody else', { administrator: 'role', policy: administrators('if-held') }, passwordAlone],
    ...(['offer', 'always', 'if-held'] as const).flatMap((field): (readonly [string, Given, Next])[] => [
      [
        `${field}, holding an app: asked for it`,
        { administrator: 'role', holds: app, policy: administrators(field) },
        ask('authenticator-app'),
      ],
      [
        `${field}, the built-in one holding an app: asked for it`,
        { administrator: 'built-in', holds: app, policy: administrators(field) },
        ask('authenticator-app'),
      ],
      [
        `${field}, holding an app and coming without a password: refused`,
        { ...passwordless, administrator: 'role', holds: { ...app, primaryKey: true }, policy: administrators(field) },
        refused('passwordlessRefused'),
      ],
      [`${field}: nobody else is asked`, { policy: administrators(field) }, passwordAlone],
    ]),
    ['offer, the built-in one: offered', { administrator: 'built-in' }, mayEnrol],
    ['always, the built-in one is only offered a second factor', { administrator: 'built-in', policy: administrators('always') }, mayEnrol],
    [
      'always, the built-in one may ignore it',
      { administrator: 'built-in', policy: administrators('always'), declined: true },
      passwordAlone,
    ],
    ['if-held, the built-in one: nothing', { administrator: 'built-in', policy: administrators('if-held') }, passwordAlone],
    [
      'the built-in one is exempt from the administrators’ field only: requireSecondFactor=always holds',
      { administrator: 'built-in', policy: always, declined: true },
      mustEnrol,
    ],
    ['and stsMfaRequired holds', { administrator: 'built-in', mfaRequired: true, declined: true }, mustEnrol],
    [
      'nothing can be enrolled: nothing is offered',
      { administrator: 'role', offers: off('security-key', 'authenticator-app') },
      passwordAlone,
    ],
    [
      'always and nothing can be enrolled: refused (STS-AUTHN-0172)',
      { administrator: 'role', policy: administrators('always'), offers: off('security-key', 'authenticator-app') },
      refused('secondFactorImpossible', ['security-key is off', 'authenticator-app is off']),
    ],
    ['the offer is also made at elevated risk', { administrator: 'role', risk: 'elevated', policy: administrators('if-held') }, mayEnrol],
    ['and to nobody else', { risk: 'elevated' }, passwordAlone],
  ],
  'the policy': [
    [
      'nothing is proven: the password is asked for, and a key does as well',
      { proven: [] },
      { ...(askKeyAlone as Ask), mechanism: 'password', others: ['security-key'] },
    ],
    [
      'a mechanism not accepted as a first factor (STS-AUTHN-0268)',
      { policy: { ...policy, firstFactors: ['security-key'] } },
      refused('mechanismNotAccepted', ['password']),
    ],
    ['nobody is asked for one', { proven: [], policy: { ...policy, firstFactors: ['security-key'] } }, askKeyAlone],
    [
      'no mechanism at all is accepted as a first',
      { proven: [], policy: { ...policy, firstFactors: ['authenticator-app'] } },
      refused('mechanismNotAccepted', ['password']),
    ],
    [
      'passwordless where a key is not accepted as a first factor (STS-AUTHN-0268)',
      { ...passwordless, policy: { ...policy, firstFactors: ['password'] } },
      refused('mechanismNotAccepted', ['security-key']),
    ],
    [
      'a mechanism not accepted as a second factor (STS-AUTHN-0269)',
      { proven: then('authenticator-app'), holds: app, policy: { ...policy, secondFactors: ['security-key'] } },
      refused('secondNotAccepted', ['authenticator-app']),
    ],
    [
      'nobody is asked for one, and their password alone is not enough',
      { holds: app, policy: { ...policy, secondFactors: ['security-key'] } },
      refused('secondNotAccepted', ['authenticator-app']),
    ],
    [
      'keys alone are accepted, and two factors are required: there is no way',
      { proven: [], policy: { ...always, firstFactors: ['security-key'] } },
      refused('passwordlessRefused'),
    ],
  ],
  'the mode': [
    [
      'product, no primary key: refused before a step is minted (STS-AUTHN-0206)',
      { ...passwordless, holds: nothing },
      refused('noPrimaryKey'),
    ],
    ['product, an mfa key is no primary key', { ...passwordless, holds: mfaKey }, refused('noPrimaryKey')],
    [
      'development, no primary key: it is enrolled on the spot',
      { ...passwordless, holds: nothing, mode: 'development' },
      { ...(askKeyAlone as Ask), enrols: true },
    ],
    [
      'development, a second factor is required: no key is enrolled',
      { ...passwordless, holds: nothing, mode: 'development', mfaRequired: true },
      refused('passwordlessRefused'),
    ],
    ['webauthn.primaryAllowed is off', { ...passwordless, offers: off('security-key') }, refused('mechanismOff', ['security-key is off'])],
  ],
  pwdReset: [
    ['the password is changed first, the second factor asked for afterwards', { mustChange: true, holds: app }, { step: 'changePassword' }],
    ['afterwards', { mustChange: false, holds: app }, ask('authenticator-app')],
    [
      'who comes with a key alone has used no password',
      { ...passwordless, proven: first('security-key'), mustChange: true },
      done(['hwk'], '1', 'security-key'),
    ],
  ],
};

for (const [rule, rows] of Object.entries(tables))
  for (const [title, given, next] of rows) test(`${rule}: ${title}`, (t) => t.deepEqual(decide({ ...standing, ...given }), next));
