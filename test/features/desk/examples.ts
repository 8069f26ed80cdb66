/** Creates the desk that the examples of `desk link` and `desk revoke` name. */
export const createExamples = (
  recordId: (prefix: string, line: string) => Promise<void>,
): Promise<void> => recordId("dsk", "desk create --business salon-aurora --name 'Back room'");

export const businesses = { desk: "salon-aurora" };
