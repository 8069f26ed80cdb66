/** Creates the partners that the examples of `partners` name. */
export async function createExamples(
  recordId: (prefix: string, line: string) => Promise<void>,
): Promise<void> {
  await recordId("ptn", "partners create aggregator --business salon-aurora --business cafe-lumen");
}
