declare module "@adobe/structured-data-validator" {
  /** A class that validates nodes, which are grouped by their type. */
  const Validator: new (vocabulary: object) => {
    validate: (data: { jsonld: object; microdata: object; rdfa: object }) => Promise<unknown[]>;
  };
  export default Validator;
}
