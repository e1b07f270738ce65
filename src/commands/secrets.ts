/** What is never given on a command line, in lower case. */
export const secretAttributes: ReadonlySet<string> = new Set(['userpassword', 'stsscramverifier', 'ststotpcredential']);
