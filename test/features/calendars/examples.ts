/** Creates the objects that the examples of `calendars` name. */
export const createExamples = (
  recordId: (prefix: string, line: string) => Promise<void>,
): Promise<void> => recordId("cal", "calendars create --business salon-aurora --staff maya");
