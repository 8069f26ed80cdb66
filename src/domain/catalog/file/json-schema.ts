import { z } from "zod";
import { catalogFileSchema } from "./schema.ts";

/** What an editor says of a field besides the form of its value. */
const NOTES: Record<string, string> = {
  key: "How this is named by everything that refers to it; its id is made of it",
  previousKeys: "Keys that it had before, the oldest first: through them a rename keeps its id",
  status: "ACTIVE is public, INACTIVE hidden, ARCHIVED put away",
  slug: "The name in web addresses",
  bookingPolicy: "How appointments are offered",
  slotIntervalMin: "Minutes between two starts that are offered",
  minNoticeMin: "Minutes before a start at which booking ends",
  maxAdvanceDays: "How many days ahead can be booked",
  bufferPolicy: "Whether the buffers of two appointments overlap (MAX) or add up (SUM)",
  grid: "Whether starts are counted from the full hour (CLOCK) or from the opening (OPENING)",
  maxGapMin: "The longest gap in minutes that a booking may leave unusable",
  closures: "Days without business: a date, from and to, or the same day each year",
  exceptions: "Single days whose hours differ",
  turnTimes: "How many minutes a party of up to so many keeps its table",
  end: "When it ends; past midnight counts on, 02:00 is 26:00",
  price: "In the business's currency, as a decimal",
  priceCents: "In place of price: in minor units",
  capacity: "How many at the same time",
  bufferBeforeMin: "Minutes kept free before",
  bufferAfterMin: "Minutes kept free after",
  resources: "What it occupies besides a person",
  variants: "Forms of a service with a price and duration of their own",
  default: "What is chosen unless somebody chooses",
  public: "Whether partners see the profile",
  hours: "When it is open; on a person, in place of the business's hours",
  timeOff: "From and to; a date counts as the whole day",
  serviceOverrides: "What differs when this person performs a service",
  sizes: "Sizes of a dish, each with its price",
  modifierGroups: "What can be chosen with a dish",
  mayContain: "Allergens that cannot be ruled out",
  appliesTo: "What it is for, by keys; without it, everything",
  code: "What a customer has to say; never shown to partners",
  startsIn: "In place of startsAt in a file for seeding: counted from that day",
  doorsAt: "When the doors open",
  quotas: "How many places there are; a ticket type may draw on several",
  showRemaining: "Whether partners see how many are left",
};

/** The JSON Schema of catalog files: an editor completes the fields with it and marks what is wrong. */
export const catalogJsonSchema = (): object => ({
  title: "deskbell catalog file",
  ...z.toJSONSchema(catalogFileSchema, {
    io: "input",
    override({ zodSchema, jsonSchema, path }) {
      // An optional field is met twice: as what it holds, then as itself.
      const noun = nounOf(zodSchema) ?? jsonSchema.description;
      const note = path.at(-2) === "properties" ? NOTES[String(path.at(-1))] : undefined;
      const parts = [note, noun].filter((text) => text !== undefined);
      if (parts.length > 0)
        jsonSchema.description = note && noun?.startsWith(note) ? noun : parts.join(": ");
    },
  }),
});

/** The noun with which the schema refuses values is what it takes. */
function nounOf(schema: z.core.$ZodType): string | undefined {
  const noun = schema._zod.def.error?.({ code: "custom", input: undefined, path: [] } as never);
  return typeof noun === "string" ? noun : undefined;
}
