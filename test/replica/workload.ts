import { suffix } from '../directory/driver.ts';
import { people } from '../equality/content.ts';
import type { Random } from '../support/people.ts';

interface Node {
  /** As it is in the DN: escaped. */
  rdn: string;
  readonly kind: 'container' | 'person' | 'group';
  parent: Node | undefined;
  readonly children: Node[];
  readonly members: string[];
}

/**
 * Changes that the directory will all accept, drawn by chance: each batch is LDIF for ldapmodify. None changes the case of a value alone: slapd's consumer
 * compares by matching rule what it has with what it gets, and keeps what is equal.
 */
export interface Workload {
  /** @param exchanges  whether entries may exchange their names */
  batch(changes: number, exchanges?: boolean): string;
  readonly entries: number;
}

const words = ['Ærøskøbing', '漢字', 'plain', 'a+b', 'two  spaces', 'comma, and more', '"quoted"', '#hash', 'semi;colon', 'ends\\'];
const depthMax = 4;

export function createWorkload(random: Random): Workload {
  const top: Node = node('', 'container', undefined);
  const peopleNode = node('ou=people', 'container', top);
  const groupsNode = node('ou=groups', 'container', top);
  const nodes: Node[] = [];
  let made = 0;

  const containers = () => [
    top,
    peopleNode,
    peopleNode,
    groupsNode,
    ...nodes.filter((each) => each.kind === 'container' && depthOf(each) < depthMax),
  ];
  const leaves = () => nodes.filter(({ children }) => children.length === 0);
  const word = () => (random.chance(0.3) ? ` ${random.pick(words)}` : '');

  const add = (): string[] => {
    const kind = random.pick(['container', 'person', 'person', 'person', 'group'] as const);
    const parent = random.pick(containers());
    const made = node(nameFor(kind, word()), kind, parent);
    nodes.push(made);
    return [record(dnOf(made), ['changetype: add', ownName(made), ...contentOf(made)])];
  };
  function nameFor(kind: Node['kind'], more: string): string {
    const value = escaped(`${kind} ${++made}${more}`);
    return `${kind === 'container' ? 'ou' : kind === 'person' ? random.pick(['uid', 'cn']) : 'cn'}=${value}`;
  }
  const contentOf = (each: Node): string[] => {
    if (each.kind === 'container') return ['objectClass: organizationalUnit', line('description', `holds things${word()}`)];
    if (each.kind === 'group') {
      // Some are of the size at which their members leave the entry.
      const count = random.chance(0.15) ? 300 : 1 + random.below(4);
      each.members.push(...Array.from({ length: count }, (_, at) => `uid=member ${made} ${at},${people}`));
      return ['objectClass: groupOfNames', ...each.members.map((member) => line('member', member))];
    }
    const isPosix = random.chance(0.4);
    // Who comes back comes with an address and a number of their own.
    made++;
    return [
      'objectClass: inetOrgPerson',
      ...(isPosix ? ['objectClass: posixAccount', `uidNumber: ${1000 + made}`, 'gidNumber: 100', `homeDirectory: /home/${made}`] : []),
      ...(each.rdn.startsWith('uid=') ? [line('cn', `Person ${made}${word()}`)] : isPosix ? [`uid: p${made}`] : []),
      line('sn', `Sur${made}`),
      `mail: p${made}@example.com`,
    ];
  };

  const modify = (): string[] => {
    const one = pickFrom(nodes.filter(({ kind }) => kind !== 'group'));
    if (one === undefined) return [];
    return [
      record(dnOf(one), [
        'changetype: modify',
        'replace: description',
        line('description', `changed ${++made}${word()}`),
        ...(random.chance(0.3) ? [line('description', `and ${made}`)] : []),
        '-',
      ]),
    ];
  };
  const modifyGroup = (): string[] => {
    const one = pickFrom(nodes.filter(({ kind }) => kind === 'group'));
    if (one === undefined) return [];
    const fresh = Array.from({ length: 1 + random.below(3) }, (_, at) => `uid=joined ${++made} ${at},${people}`);
    const gone = one.members.length > 3 ? one.members.splice(random.below(one.members.length - 1), 1) : [];
    one.members.push(...fresh);
    return [
      record(dnOf(one), [
        'changetype: modify',
        ...['add: member', ...fresh.map((each) => line('member', each)), '-'],
        ...(gone.length === 0 ? [] : ['delete: member', ...gone.map((each) => line('member', each)), '-']),
      ]),
    ];
  };
  const rename = (): string[] => {
    const one = pickFrom(nodes);
    if (one === undefined) return [];
    const type = one.rdn.slice(0, one.rdn.indexOf('='));
    return [moved(one, nameFor(one.kind, word()).replace(/^[a-z]+/, type), one.parent)];
  };
  const move = (): string[] => {
    const one = pickFrom(nodes);
    const to = random.pick(containers().filter((each) => one === undefined || !isBelow(each, one)));
    return one === undefined || depthOf(to) + heightOf(one) > depthMax ? [] : [moved(one, one.rdn, to)];
  };
  /** Two entries exchange their names, by way of a third: whoever only saw the end would see one name twice. */
  const swap = (): string[] => {
    const one = pickFrom(leaves());
    const other = pickFrom(leaves().filter((each) => each !== one && each.rdn.split('=')[0] === one?.rdn.split('=')[0]));
    if (one === undefined || other === undefined) return [];
    const [first, its] = [one.rdn, one.parent];
    const [second, theirs] = [other.rdn, other.parent];
    return [moved(one, `${first.split('=')[0]}=swapped ${++made}`, its), moved(other, first, its), moved(one, second, theirs)];
  };
  const moved = (one: Node, rdn: string, to: Node | undefined): string => {
    const before = dnOf(one);
    const isMove = to !== one.parent;
    leave(one);
    one.rdn = rdn;
    one.parent = to;
    to?.children.push(one);
    return record(before, [
      'changetype: modrdn',
      line('newrdn', rdn),
      'deleteoldrdn: 1',
      ...(isMove && to !== undefined ? [line('newsuperior', dnOf(to))] : []),
    ]);
  };
  const remove = (): string[] => {
    const one = pickFrom(leaves());
    if (one === undefined) return [];
    leave(one);
    nodes.splice(nodes.indexOf(one), 1);
    const gone = record(dnOf(one), ['changetype: delete']);
    if (random.chance(0.7)) return [gone];
    // Another entry under the same name.
    const again = node(one.rdn, one.kind, one.parent);
    nodes.push(again);
    return [gone, record(dnOf(again), ['changetype: add', ownName(again), ...contentOf(again)])];
  };
  function pickFrom<T>(some: readonly T[]): T | undefined {
    return some.length === 0 ? undefined : random.pick(some);
  }

  const kinds = [add, add, add, add, modify, modify, modify, modifyGroup, modifyGroup, rename, move, move, swap, remove, remove];
  return {
    get entries() {
      return nodes.length;
    },
    batch(changes, exchanges = true) {
      const drawn = exchanges ? kinds : kinds.filter((each) => each !== swap);
      return Array.from({ length: changes }, () => random.pick(drawn)().join('\n')).join('\n');
    },
  };
}

function node(rdn: string, kind: Node['kind'], parent: Node | undefined): Node {
  const made: Node = { rdn, kind, parent, children: [], members: [] };
  parent?.children.push(made);
  return made;
}

function leave(one: Node): void {
  one.parent?.children.splice(one.parent.children.indexOf(one), 1);
}

function dnOf({ rdn, parent }: Node): string {
  return parent === undefined ? suffix : `${rdn},${dnOf(parent)}`;
}

function depthOf({ parent }: Node): number {
  return parent === undefined ? 0 : 1 + depthOf(parent);
}

function heightOf({ children }: Node): number {
  return 1 + Math.max(0, ...children.map(heightOf));
}

function isBelow(one: Node | undefined, other: Node): boolean {
  return one !== undefined && (one === other || isBelow(one.parent, other));
}

/** The value that names an entry, as its attribute. */
function ownName({ rdn }: Node): string {
  const at = rdn.indexOf('=');
  return line(rdn.slice(0, at), rdn.slice(at + 1).replace(/\\(.)/g, '$1'));
}

/** RFC 4514 §2.4. */
function escaped(value: string): string {
  return value.replace(/[",+;<>\\]/g, (special) => `\\${special}`);
}

function line(name: string, value: string): string {
  return `${name}:: ${Buffer.from(value).toString('base64')}`;
}

function record(dn: string, lines: readonly string[]): string {
  return [line('dn', dn), ...lines, ''].join('\n');
}
