import { of } from './mutant.ts';

/** Mistakes in what doors that take nothing but a password do, and in the life of an account. */
export const doorMutants = [
  ...of('src/credentials/judge.ts', 'directory/app-passwords.test.ts', [
    [
      'any-scope',
      'an app password is taken at every door',
      '!scopes.some((each) => each === door) }',
      "!scopes.some((each) => each === door) && door === 'est' }",
      'STS-AUTHN-0214: an app password is taken at the doors of its scopes',
    ],
    [
      'any-time',
      'an app password never ends',
      'expiresMs !== undefined && expiresMs <= nowMs,',
      'expiresMs !== undefined && expiresMs <= 0 && nowMs >= 0,',
      'an app password ends at its time',
    ],
    [
      'any-network',
      'an app password comes from anywhere',
      'refuses: (used, { address }) => !mayComeFrom(used, address)',
      "refuses: (used, { address }) => !mayComeFrom(used, address) && address === ''",
      'comes from its networks alone',
    ],
    [
      'password-alone',
      'the own password is enough for who holds a second factor',
      'return needsSecondFactor && verifiesPasswords(mode)',
      'return false && needsSecondFactor && verifiesPasswords(mode)',
      'STS-AUTHN-0213: in product mode a door that takes nothing else',
    ],
  ]),
  ...of('src/credentials/judge.ts', 'directory/same-work.test.ts', [
    [
      'one-hash-less',
      'who has no app passwords is answered after one hash less',
      'hasher.findInSet(form, hashes, cost)]',
      'hashes.length === 0 ? { index: undefined } : hasher.findInSet(form, hashes, cost)]',
      'same work: unknown, wrong, disabled',
    ],
  ]),
  ...of('src/credentials/judge.ts', 'directory/bind.test.ts', [
    [
      'must-change',
      'a password that must be changed opens every door',
      'mustChange && refusesPasswordsToChange(mode) &&',
      'mustChange && !refusesPasswordsToChange(mode) &&',
      'an account whose password must be changed is refused at the LDAP doors',
    ],
  ]),
  ...of('src/credentials/errors.ts', 'directory/same-work.test.ts', [
    [
      'told-apart',
      'that a second factor is wanted is answered in other words than a wrong password',
      "says,\n    sees: { ldap: 49 },\n    state: 'live',\n  },\n  appPasswordElsewhere",
      "says: 'a second factor is wanted',\n    sees: { ldap: 49 },\n    state: 'live',\n  },\n  appPasswordElsewhere",
      'same work: unknown, wrong, disabled',
    ],
  ]),
  ...of('src/credentials/known.ts', 'directory/same-work.test.ts', [
    [
      'old-password-known',
      'a password that was right is known as right when another one is set',
      ' || own.tie !== tieOf(passwordHash)) return undefined;',
      ') return undefined;',
      'is not hashed again, and is as good as it would be',
    ],
  ]),
  ...of('src/directory/attempts.ts', 'directory/attempts.test.ts', [
    [
      'right-counts',
      'a right password that must be changed counts as a failed attempt',
      'error.row.code === rightAllTheSame',
      "error.row.code === ''",
      'a right password that has to be changed first (STS-AUTHN-0142) counts nothing',
    ],
  ]),
  ...of('src/directory/password-age.ts', 'directory/password-expiry.test.ts', [
    [
      'endless-grace',
      'a grace sign-in leaves no trace of those before it',
      'values: [...values, utf8(anotherTime(values, nowMs))]',
      'values: [utf8(anotherTime(values, nowMs))]',
      'grace: an expired password is let in so often',
    ],
  ]),
  ...of('src/directory/password-rules.ts', 'directory/password-policy.test.ts', [
    [
      'no-history',
      'development mode keeps no old passwords',
      'if (was === undefined || (is !== undefined',
      'if (!enforcesPasswords(realm.mode) || was === undefined || (is !== undefined',
      'development mode: no policy is enforced, and old passwords are kept all the same',
    ],
  ]),
  ...of('src/directory/life/life.ts', 'flows/ends.test.ts', [
    [
      'sessions-stay',
      'who is disabled keeps their sessions',
      'const count = await row.end(realm, uuid);',
      "const count = row.name === 'sessions' ? 0 : await row.end(realm, uuid);",
      'Disable, by an LDAP write of pwdAccountLockedTime',
    ],
  ]),
  ...of('src/listener/gate.ts', 'listener/parting.test.ts', [
    [
      'acting-stays',
      'who acts for another by an app password stays when it is revoked',
      'appPassword?.holder === entryUuid &&',
      'uuid === entryUuid && appPassword !== undefined &&',
      'ends with a Notice of Disconnection when its time is over',
    ],
  ]),
  ...of('src/directory/life/tombstones.ts', 'flows/deleted.test.ts', [
    [
      'credentials-kept',
      'what people sign in with is kept of the deleted',
      '...decodeAttributes(entry.operational)].filter(',
      '...decodeAttributes(entry.operational), ...decodeAttributes(entry.secret)].filter(',
      'a person who was deleted is kept without what they signed in with',
    ],
  ]),
  ...of('src/directory/extended/restore-person.ts', 'flows/deleted.test.ts', [
    [
      'another-uuid',
      'whoever is restored has another entryUUID',
      'collectAttributes(schema, keptIn(stone))',
      "collectAttributes(schema, keptIn(stone).map((each) => (each.description === 'entryUUID' ? { ...each, values: [utf8(stone.uuid)] } : each)))",
      'restored with their entryUUID and groups',
    ],
  ]),
  ...of('src/state/links.ts', 'flows/links.test.ts', [
    [
      'link-twice',
      'a link that is in use is good for others',
      'await kind.replace(kept, { ...kept.value, inUse: true })',
      'await kind.replace(kept, { ...kept.value, inUse: false })',
      'two browsers with one link at once',
    ],
  ]),
  ...of('src/directory/access/asker.ts', 'directory/limits.test.ts', [
    [
      'no-enumeration',
      'the right to enumerate gives nothing',
      'return !mayManage && !mayEnumerate;',
      'return !mayManage && mayEnumerate !== undefined;',
      'the right to enumerate where a search begins',
    ],
  ]),
  ...of('src/store/seen.ts', 'store/state.test.ts', [
    [
      'seen-others',
      'what another process has counted is never seen',
      'if (now !== seen) forgetAll();',
      '',
      'another by the next turn of the loop',
    ],
    [
      'seen-own',
      'what this process has counted is not seen',
      'if (ofKind.delete(key)) remembered--',
      'void key',
      'never what this process has written since',
    ],
  ]),
  ...of('src/directory/settled.ts', 'directory/settled.test.ts', [
    [
      'settled-governing',
      'a bind outlives a change of a policy',
      'snapshot.governing > found.number || ',
      '',
      'the very next bind after a change',
    ],
    [
      'settled-entry',
      'a bind outlives a change of its entry',
      '!== found.version) return false',
      '=== undefined) return false',
      'the very next bind after a change',
    ],
    ['settled-number', 'a password with the same number is let in', 'found.mac !== own || ', '', 'by its whole HMAC'],
  ]),
] as const;
