/** The text quoted as one shell argument, if necessary. */
export const shellQuote = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
