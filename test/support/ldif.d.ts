/** The part of the `ldif` package that tests compare with. */
declare module 'ldif' {
  interface Entry {
    toObject(options: { decode: boolean; flatten: boolean }): { dn: string; attributes: Record<string, string[]> };
  }
  const ldif: { parse(text: string): { entries: Entry[] } };
  export default ldif;
}
