import test from 'ava';
import { equalBytes } from '#base';
import { parseDn } from '#ldap';
import { isWithin, normalizeDn } from '#schema';
import { evaluate, type Question } from '../../src/directory/access/evaluate.ts';
import { noMemberships } from '../../src/directory/access/memberships.ts';
import { parseRule } from '../../src/directory/access/parse.ts';
import { createPlan } from '../../src/directory/access/plan.ts';
import { rightsOf } from '../../src/directory/access/rights.ts';
import { fitsWay, fitsWho, type Rule } from '../../src/directory/access/rule.ts';
import { person, schema, suffix } from './driver.ts';

const keyOf = (dn: string): Uint8Array => {
  const key = normalizeDn(schema, parseDn(dn) ?? []);
  if (key === undefined) throw new Error(dn);
  return key;
};
const place = { schema, owns: (key: Uint8Array) => isWithin(key, keyOf(suffix)) };
const guard = { byAppPassword: false, power: 'none' } as const;
const origin = { address: '192.0.2.7', loopback: false, secure: true };

function rule(name: string, values: Readonly<Record<string, string | readonly string[]>>): Rule {
  const texts = Object.entries({ Order: '1', Who: 'anyone', Right: 'read', ...values });
  return parseRule(place, name, new Map(texts.map(([key, value]) => [`stsrule${key.toLowerCase()}`, [value].flat()])));
}

function question(dn: string, attribute: string, more: Partial<Question> = {}): Question {
  const type = schema.attributeType(attribute);
  const key = keyOf(person('ada'));
  return {
    subject: { key, isForeign: false, cameIn: { strength: 'ownPassword', heldSecond: false }, origin, groups: noMemberships },
    guard,
    nowMs: 0,
    entry: { dnKey: keyOf(dn), isOwn: equalBytes(keyOf(dn), key), fits: () => false },
    right: 'read',
    ...(type === undefined ? {} : { type }),
    ...more,
  };
}

test('for one right on one attribute of one entry the first rule whose parts all fit decides', (t) => {
  const rules = [
    rule('from elsewhere', { From: ['198.51.100.0/24', '2001:db8::/32'], Effect: 'deny' }),
    rule('somebody else', { Who: `dn:${person('alan')}`, Effect: 'deny' }),
    rule('another strength', { Strength: ['session+fresh:60', 'certificate'], Effect: 'deny' }),
    rule('another right', { Right: 'write', Effect: 'deny' }),
    rule('another attribute', { Attribute: ['@person', '!cn'], Effect: 'deny' }),
    rule('below', { Target: `children:${person('alan')}`, Effect: 'deny' }),
    rule('a filter', { Filter: '(cn=x)', Effect: 'deny' }),
    rule('this one', { Target: `one:ou=people,${suffix}`, Attribute: 'name', From: ['192.0.2.0/24', 'protected'] }),
    rule('too late', { Effect: 'deny' }),
  ];
  const decided = (dn: string, attribute: string) => {
    const decision = evaluate(rules, question(dn, attribute));
    return decision.by === 'rule' ? decision.rule.name : decision.by;
  };
  t.is(decided(person('alan'), 'cn'), 'this one');
  t.is(decided(person('alan'), 'sn'), 'another attribute');
  t.is(decided(suffix, 'cn'), 'too late');
  t.is(decided(person('alan'), 'userPassword'), 'protection');
  t.deepEqual(evaluate([], question(person('alan'), 'cn')), { allowed: false, by: 'nothing' });
});

test('what the service works out for each entry comes to what the words come to', (t) => {
  const rules = [
    rule('own', { Who: 'self', Attribute: '*', Right: ['read', 'write'] }),
    rule('no', { Target: [`subtree:ou=groups,${suffix}`, `entry:${person('alan')}`], Attribute: ['+', 'mail'], Effect: 'deny' }),
    rule('fits', { Filter: '(cn=x)', Attribute: 'mail' }),
    rule('one', { Target: `one:${suffix}`, Attribute: 'ou' }),
    rule('rest', { Who: 'authenticated', Attribute: ['!sn'] }),
  ];
  const { subject } = question(suffix, 'cn');
  const fitting = rules.flatMap((each, at) => {
    const who = fitsWho(each, subject);
    return who === 'never' || !fitsWay(each, subject, 0) ? [] : [{ rule: each, at, onlyOwn: who === 'self' }];
  });
  const plan = createPlan(fitting, (those) => rightsOf(schema, guard, those));
  const names = ['cn', 'sn', 'mail', 'ou', 'entryUUID', 'createTimestamp', 'userPassword', 'stsTotpCredential'];
  for (const dn of [suffix, `ou=people,${suffix}`, person('ada'), person('alan'), `ou=groups,${suffix}`, `cn=x,ou=groups,${suffix}`])
    for (const isFit of [true, false])
      for (const name of names) {
        const asked = question(dn, name);
        const entry = { ...asked.entry, fits: () => isFit };
        const rights = plan.rightsOf(entry.dnKey, entry.isOwn, entry.fits);
        const type = schema.attributeType(name);
        if (type === undefined) throw new Error(name);
        t.is(rights.mayRead(type), evaluate(rules, { ...asked, entry }).allowed, `${dn} ${name} ${isFit}`);
        t.is(rights.mayWrite(type), evaluate(rules, { ...asked, entry, right: 'write' }).allowed);
      }
});
