import test from 'ava';
import { addressOctets, isInNetwork, readNetwork } from '#base';

function isIn(network: string, address: string): boolean | string | undefined {
  const [read, octets] = [readNetwork(network), addressOctets(address)];
  return 'octets' in read ? octets !== undefined && isInNetwork(read, octets) : read.why;
}

test('IPv4 within IPv6 is IPv4, in a network as in an address, with the prefix of either', (t) => {
  for (const network of ['192.0.2.0/24', '::ffff:192.0.2.0/120', '::FFFF:c000:200/120', '::ffff:192.0.2.0/24'])
    for (const [address, expected] of [
      ['192.0.2.77', true],
      ['::ffff:192.0.2.77', true],
      ['::ffff:c000:24d', true],
      ['192.0.3.77', false],
      ['::ffff:192.0.3.77', false],
      ['2001:db8::1', false],
    ] as const)
      t.is(isIn(network, address), expected, `${address} in ${network}`);
  t.true(isIn('::ffff:0.0.0.0/96', '198.51.100.1'), 'all of IPv4');
  t.false(isIn('::ffff:0.0.0.0/96', '2001:db8::1'));
  t.true(isIn('::ffff:192.0.2.7/128', '192.0.2.7'));
  t.true(isIn('::ffff:192.0.2.7', '192.0.2.7'));
});

test('a prefix is no longer than its address, and leaves no bits behind it', (t) => {
  const tooLong = (most: number) => `the length of the prefix is a number up to ${most}`;
  for (const network of ['192.0.2.0/33', '::ffff:192.0.2.0/129', '::ffff:192.0.2.0/95', '192.0.2.0/120', '192.0.2.0/024', '192.0.2.0/x'])
    t.is(isIn(network, '192.0.2.1'), tooLong(32), network);
  t.is(isIn('2001:db8::/129', '2001:db8::1'), tooLong(128));
  for (const network of ['192.0.2.1/24', '::ffff:192.0.2.1/120', '2001:db8::1/32'])
    t.is(isIn(network, '192.0.2.1'), 'the address has bits behind the prefix', network);
  for (const network of ['', 'here', '192.0.2.0/24/8', '/24']) t.is(isIn(network, '192.0.2.1'), undefined, network);
});
