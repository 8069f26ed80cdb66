/** Matches one mail address. It contains no character with a meaning in a header or in SMTP. */
const MAIL_ADDRESS =
  /^[^\s@<>(),;:"\\[\]\p{C}]{1,64}@(?=.{1,190}$)[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u;

/** Returns whether a text is exactly one address to which mail can be sent. */
export const isMailAddress = (text: string): boolean => MAIL_ADDRESS.test(text);
