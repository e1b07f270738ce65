export const defaultSuffix = 'dc=example,dc=com';

/** A second realm, whose suffix lies inside the tree of the first. */
export const innerSuffix = `dc=sub,${defaultSuffix}`;

/** One who is in every group of a realm and whom nobody deletes: a group is never without members. */
export function keeperOf(suffix: string): string {
  return `uid=keeper,ou=people,${suffix}`;
}

/** What values are drawn from: few, so that filters find something and entries are alike. */
export const pools: Readonly<Record<string, readonly string[]>> = {
  cn: ['ann', 'bob', 'cyd'],
  sn: ['fox', 'hare', 'owl'],
  givenName: ['ann', 'bob'],
  mail: ['a@x.org', 'b@x.org', 'c@x.org'],
  title: ['clerk', 'nurse', 'pilot'],
  description: ['red', 'green', 'blue'],
  employeeNumber: ['11', '12', '21'],
  employeeType: ['staff', 'guest'],
  telephoneNumber: ['111', '112', '221'],
  displayName: ['ann fox', 'bob hare'],
  l: ['oslo', 'rome'],
  roomNumber: ['r1', 'r2', 's1'],
  businessCategory: ['arts', 'trade'],
};

export const roles = ['Admin Read', 'Admin Write', 'helper'];
