import { execFileSync } from 'node:child_process';
import test from 'ava';
import fc from 'fast-check';
import { base32Of, equalBytes, fromBase32, systemChance, utf8 } from '#base';
import { loadTotp, type TotpAlgorithm, totpAlgorithms, totpStep } from '#keys';

const totp = await loadTotp();

/** RFC 6238, Appendix B. The secrets are those of its reference implementation: ASCII digits, as many octets as the hash has. */
const secrets: Readonly<Record<TotpAlgorithm, Uint8Array>> = {
  SHA1: utf8('12345678901234567890'),
  SHA256: utf8('12345678901234567890123456789012'),
  SHA512: utf8('1234567890123456789012345678901234567890123456789012345678901234'),
};
const vectors: readonly [timeS: number, step: string, code: string, algorithm: TotpAlgorithm][] = [
  [59, '0000000000000001', '94287082', 'SHA1'],
  [59, '0000000000000001', '46119246', 'SHA256'],
  [59, '0000000000000001', '90693936', 'SHA512'],
  [1111111109, '00000000023523EC', '07081804', 'SHA1'],
  [1111111109, '00000000023523EC', '68084774', 'SHA256'],
  [1111111109, '00000000023523EC', '25091201', 'SHA512'],
  [1111111111, '00000000023523ED', '14050471', 'SHA1'],
  [1111111111, '00000000023523ED', '67062674', 'SHA256'],
  [1111111111, '00000000023523ED', '99943326', 'SHA512'],
  [1234567890, '000000000273EF07', '89005924', 'SHA1'],
  [1234567890, '000000000273EF07', '91819424', 'SHA256'],
  [1234567890, '000000000273EF07', '93441116', 'SHA512'],
  [2000000000, '0000000003F940AA', '69279037', 'SHA1'],
  [2000000000, '0000000003F940AA', '90698825', 'SHA256'],
  [2000000000, '0000000003F940AA', '38618901', 'SHA512'],
  [20000000000, '0000000027BC86AA', '65353130', 'SHA1'],
  [20000000000, '0000000027BC86AA', '77737706', 'SHA256'],
  [20000000000, '0000000027BC86AA', '47863826', 'SHA512'],
];

for (const [timeS, step, code, algorithm] of vectors)
  test(`RFC 6238, Appendix B: at ${timeS} with ${algorithm} the code is ${code}`, (t) => {
    const parameters = { secret: secrets[algorithm], algorithm, digits: 8, period: 30 };
    t.is(totpStep(30, timeS * 1000), Number.parseInt(step, 16));
    t.is(totp.code(parameters, Number.parseInt(step, 16)), code);
    t.deepEqual(totp.steps(parameters, code, timeS * 1000, 0), [Number.parseInt(step, 16)]);
  });

test('all three digests are implemented: oathtool, with whatever digits, period and secret, makes the codes that are taken', (t) => {
  for (const algorithm of totpAlgorithms)
    for (const [digits, period, octets] of [
      [6, 30, 20],
      [7, 60, 16],
      [8, 15, 64],
    ] as const) {
      const secret = systemChance.octets(octets);
      const at = 1_795_000_000 + octets;
      const code = execFileSync('oathtool', [
        ...[`--totp=${algorithm.toLowerCase()}`, '--base32', `--digits=${digits}`, `--time-step-size=${period}s`],
        ...[`--now=@${at}`, base32Of(secret)],
      ])
        .toString()
        .trim();
      t.deepEqual(totp.steps({ secret, algorithm, digits, period }, code, at * 1000, 0), [totpStep(period, at * 1000)]);
    }
});

test('RFC 6238 §5.2: so many steps of skew either side are taken, and none beyond', (t) => {
  const parameters = { secret: secrets.SHA1, algorithm: 'SHA1', digits: 6, period: 30 } as const;
  const nowMs = 1_795_000_000_000;
  const now = totpStep(30, nowMs);
  for (const window of [0, 1, 3])
    for (let off = -5; off <= 5; off++) {
      const found = totp.steps(parameters, totp.code(parameters, now + off), nowMs, window);
      t.is(found.includes(now + off), Math.abs(off) <= window, `${off} of ${window}`);
    }
});

test('what is no code never throws and is nobody’s: letters, signs, other digits, too short, too long, very long', (t) => {
  const parameters = { secret: secrets.SHA256, algorithm: 'SHA256', digits: 6, period: 30 } as const;
  const code = totp.code(parameters, 2);
  const others = [
    '',
    ' ',
    'abcdef',
    '-12345',
    '1e5555',
    '٠١٢٣٤٥',
    code.slice(1),
    `${code}0`,
    ` ${code}`,
    `${code}\n`,
    '9'.repeat(100_000),
    '\0',
  ];
  for (const other of others) t.deepEqual(totp.steps(parameters, other, 60_000, 1), [], JSON.stringify(other.slice(0, 20)));
  fc.assert(fc.property(fc.string({ maxLength: 40 }), (text) => text === code || totp.steps(parameters, text, 60_000, 0).length === 0));
});

test('RFC 4648 §6: base32 is read as it was written, in either case, and what is none is told', (t) => {
  t.is(base32Of(utf8('foobar')), 'MZXW6YTBOI');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (octets) => {
      const read = fromBase32(base32Of(octets).toLowerCase());
      return read !== undefined && equalBytes(read, octets);
    }),
  );
  for (const other of ['MZXW 6YTB', 'M1', 'ÄÖ', 'A', 'MZXW6YTBOI='.repeat(2)]) t.is(fromBase32(other), undefined, other);
});
