import { open, type SpecRule, section } from './rule.ts';

export const managementRules: readonly SpecRule[] = [
  ...section('2, errors', [
    ['1', 'codes are STS-<SUBSYSTEM>-<NNNN> of 41 areas', 'catalogue/codes.test.ts', 'every code is well formed and of a known area'],
    [
      '2',
      'a code is errorCode of the audit row and stands in front of its summary',
      'audit/audit.test.ts',
      'a summary that begins with the code',
    ],
    ['2, log', 'a code stands in front of a line of the log', 'audit/audit.test.ts', 'the log puts the code in front of its words'],
    ['3', 'a code is never sent to a client', 'web/front.test.ts', 'the answer says neither path nor code'],
    ['4', 'a code is never renumbered or reused', 'catalogue/codes.test.ts', 'a code is never renumbered, reused or removed'],
    ['5', 'the fallbacks STS-HTTP-0002 and 0003', 'web/front.test.ts', 'is recorded under the fallback'],
  ]),
  ...section('2, STS-HTTP', [
    ['0001', 'no route matched the path: 404', 'web/front.test.ts', 'STS-HTTP-0001'],
    ['0004', 'body over 5 MB: 413', 'web/body.test.ts', 'STS-HTTP-0004: a body over 5 MB'],
    ['0010', 'query parameter of a forbidden name: 400', 'web/front.test.ts', 'STS-HTTP-0010'],
    ['0011', 'control character in a query value: 400', 'web/front.test.ts', 'STS-HTTP-0011'],
    ['0012', 'charset or encoding not read: 415', 'web/body.test.ts', 'STS-HTTP-0012'],
    ['0013', 'body truncated: 400', 'web/body.test.ts', 'STS-HTTP-0013'],
    ['0014', 'error before the router', 'web/front.test.ts', 'STS-HTTP-0014'],
    ['0015', 'form without a CSRF token', 'web/body.test.ts', 'STS-HTTP-0015'],
    [
      '0017',
      'too many attempts for one identity or from one address',
      open('the sign-in records its own STS-AUTHN-9320; no row of the front raises 0017'),
    ],
  ]),
  ...section('2, STS-CORE', [
    [
      '0001',
      'the configuration file cannot be loaded',
      'catalogue/settings.test.ts',
      'a configuration file that cannot be loaded stops the start',
    ],
    ['0002', 'a setting has no value', 'catalogue/settings.test.ts', 'a setting given null has no value'],
    ['0103', 'a development-only setting in product mode', 'catalogue/settings.test.ts', 'a development-only setting may not differ'],
    ['0105', 'a removed setting is named', 'catalogue/settings.test.ts', 'a setting that was removed on 2026-09-23'],
    ['0108', 'a configured value fails its check', 'catalogue/settings.test.ts', 'a value that fails its check stops the start'],
  ]),
  ...section('2, STS-CORE, realms', [
    ['0008', 'a stored setting that no longer passes its check is not applied', 'realms/realms.test.ts', 'STS-CORE-0008'],
    ['0120', 'removal finished with undelivered obligations within the time', 'realms/removal.test.ts', 'STS-CORE-0120'],
    ['0121', 'sign-in refused because the realm is being removed', 'web/realms.test.ts', 'STS-CORE-0121'],
  ]),
  ...section('2, STS-KEYS', [
    ['0002', 'key-encryption key empty or under 32 bytes', 'keys/digest.test.ts', 'STS-KEYS-0002'],
    ['0004', 'a stored hash that cannot be decoded is no match', 'keys/hasher.test.ts', 'STS-KEYS-0004'],
    ['0005', 'a stored hash that cannot be computed is no match', 'keys/hasher.test.ts', 'STS-KEYS-0005'],
    [
      '0043',
      'a secret file: unreadable, empty, wrong permissions',
      'catalogue/settings.test.ts',
      'a secret file that others than its owner may read',
    ],
  ]),
];
