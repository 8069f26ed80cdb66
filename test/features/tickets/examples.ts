import type { ExampleTools } from "../../support/example-data.ts";

/** Creates the objects that the examples of the ticket commands name. */
export async function createExamples(
  _recordId: unknown,
  { create, record }: ExampleTools,
): Promise<void> {
  const line =
    "ticket-orders create --business kita-live --public-event blue-hour-quartet --item seated";
  const pending = await create(line);
  record("tor", pending.id);
  record("K7M2-9QXF", pending.code);
  const { tickets } = await create<{ tickets: { id: string; admissionCode: string }[] }>(
    `ticket-orders confirm ${(await create(line)).id} --business kita-live`,
  );
  record("tck", tickets[0]?.id ?? "");
  record("4T7K-2M9Q-XF3N-WD0A", tickets[0]?.admissionCode ?? "");
}

export const businesses = { "ticket-orders": "kita-live", tickets: "kita-live" };
