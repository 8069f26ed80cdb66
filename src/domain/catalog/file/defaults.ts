/**
 * Declares the default values of a document's fields that a file may omit. `read` fills them in and
 * `write` omits them again. Only for fields with the same name and value in the file and the
 * document; a string default is one of the values of a `choice`, and null stands for no value.
 */
export const defaultsFor =
  <Doc>() =>
  <K extends keyof Doc>(defaults: Pick<Doc, K>): Pick<Doc, K> =>
    defaults;

/** Fields as a file has them: choices in either case, and no null. */
export type AuthoredFields<Defaults> = {
  [K in keyof Defaults]?: AuthoredValue<Defaults[K]> | undefined;
};
type AuthoredValue<Value> = Value extends string
  ? Value | Lowercase<Value>
  : Value extends null
    ? never
    : Value;
