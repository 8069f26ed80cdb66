/** Creates the objects that the examples of `destinations` name. */
export const createExamples = (
  recordId: (prefix: string, line: string) => Promise<void>,
): Promise<void> =>
  recordId("dst", "destinations create --name bus --url nats://10.0.0.5:4222 --stream S --all");
