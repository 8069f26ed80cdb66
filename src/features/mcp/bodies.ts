import { z } from "zod";
import { AppError } from "../../domain/errors.ts";
import { parseRequest } from "../../domain/parse-request.ts";
import { holdBody, reservationBody } from "../../http/handlers/bookings/bodies.ts";
import { describeFields } from "./body-schema.ts";
import type { Caller } from "./caller.ts";
import type { Arguments } from "./tool.ts";

// The arguments of the tools that hold, book or change something. Each call contains exactly one
// body of an API request, and further arguments. Descriptions say "exactly one" in words, because
// language models refuse a tool whose schema has alternatives at its top. The schemas have no
// `$ref`, because several clients drop `$defs`.

/**
 * The body of an API operation, which a tool accepts as an argument. `describe` returns its schema,
 * or undefined if the server lacks the operation.
 */
export type Form = {
  operationId: string;
  about: string;
  describe: (caller: Caller) => z.ZodObject | undefined;
};
/** The bodies that a tool accepts, by the argument that contains each. */
export type Forms = Readonly<Record<string, Form>>;

/**
 * Returns the form for the body of an API operation. `describe` returns undefined if the program
 * lacks the feature with this operation.
 */
const bodyOf = (operationId: string, about: string) => ({
  operationId,
  about,
  describe: ({ api }: Caller): z.ZodObject | undefined =>
    api.findRoute(operationId)?.body?.schema(),
});

/**
 * Returns a form whose body lacks the fields of the guest, because these fields are arguments of
 * the tool book.
 */
function withoutGuest(form: Form): Form {
  return {
    ...form,
    describe: (caller) => form.describe(caller)?.omit({ customer: true, customerRef: true }),
  };
}

const UNCHANGED = "of a time of find_times, unchanged";

export const BOOK_FORMS = {
  visit: withoutGuest(
    bodyOf("createBooking", `A visit: \`book.visit\` ${UNCHANGED}, or only \`holdId\``),
  ),
  table: withoutGuest(
    bodyOf("createReservation", `A table: \`book.table\` ${UNCHANGED}, or only \`holdId\``),
  ),
  tickets: withoutGuest(
    bodyOf("createTicketOrder", "Tickets of an event: IDs and quantities, from list_events"),
  ),
} as const satisfies Forms;

export const HOLD_FORMS = {
  visit: {
    operationId: "createHold",
    about: `\`book.visit\` ${UNCHANGED}`,
    describe: () => holdBody().pick({ startsAt: true, segments: true, guests: true }),
  },
  table: {
    operationId: "createHold",
    about: `\`book.table\` ${UNCHANGED}`,
    describe: () =>
      reservationBody()
        .pick({ startsAt: true, partySize: true, areaId: true })
        .required({ startsAt: true, partySize: true }),
  },
} as const satisfies Forms;

/** The bodies of the tool change_booking. `guest` is also the body of updateReservation. */
export const CHANGE_FORMS = {
  visit: bodyOf("rescheduleBooking", "New time of a visit"),
  table: bodyOf("rescheduleReservation", "New time of a table"),
  guest: bodyOf(
    "updateBooking",
    "New data of the guest; null deletes a field. `{}` with `dryRun` only shows the booking",
  ),
} as const satisfies Forms;

/** Returns the forms whose routes the server has. */
export const offeredForms = (forms: Forms, caller: Caller): Forms =>
  Object.fromEntries(
    Object.entries(forms).filter(([, form]) => form.describe(caller) !== undefined),
  );

/** Returns the schemas of the bodies that the server accepts; each body is optional. */
export const describeForms = (forms: Forms, caller: Caller): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(forms).flatMap(([name, { about, describe }]) => {
      const schema = describe(caller);
      return schema === undefined ? [] : [[name, schema.optional().describe(about)]];
    }),
  );

/**
 * Returns the JSON Schema of arguments, some of which are bodies of the API.
 * @param options `isNew` is set if the bodies create something
 */
export const describeArguments = (
  fields: Record<string, z.ZodType>,
  options: { isNew?: boolean } = {},
) => {
  const { properties, required } = describeFields(z.strictObject(fields), options);
  return {
    properties: properties as Record<string, unknown>,
    ...(required !== undefined && { required: required as string[] }),
  };
};

export const dryRun = () =>
  z
    .boolean({ error: "true or false" })
    .optional()
    .describe("Only check and show what would happen; false by default");

/**
 * Returns the schema of a call's arguments. Any object is accepted as a body, because the API
 * checks bodies.
 */
export const argumentsSchema = (forms: Forms, fields: Record<string, z.ZodType>) =>
  z.strictObject({
    business: z.string({ error: "the slug of a business" }).optional(),
    dryRun: dryRun(),
    ...fields,
    ...Object.fromEntries(
      Object.keys(forms).map((name) => [
        name,
        z.looseObject({}, { error: "an object" }).optional(),
      ]),
    ),
  });

export type WriteArguments = {
  business?: string;
  dryRun?: boolean;
  idempotencyKey?: string;
  [field: string]: unknown;
};

/**
 * Checks the arguments of a call, and returns them.
 * @throws AppError validation_failed with every issue
 */
export const parse = (schema: z.ZodObject, args: Arguments): WriteArguments =>
  parseRequest(schema, args) as unknown as WriteArguments;

/** Returns the named fields of a body that the agent has sent as arguments. */
export const sentFields = (
  parsed: WriteArguments,
  names: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    names.flatMap((name) => (parsed[name] === undefined ? [] : [[name, parsed[name]]])),
  );

/**
 * Returns the body in the arguments, of which there must be exactly one.
 * @throws AppError validation_failed
 */
export function chooseForm<F extends Forms>(
  forms: F,
  parsed: WriteArguments,
): { name: keyof F & string; body: Record<string, unknown> } {
  const names = Object.keys(forms).filter((name) => parsed[name] !== undefined);
  const [name] = names;
  if (name !== undefined && names.length === 1)
    return { name, body: parsed[name] as Record<string, unknown> };
  const detail = `Send exactly one of ${Object.keys(forms).join(", ")}, not ${names.length === 0 ? "none" : names.join(" and ")}.`;
  throw new AppError("validation_failed", detail, {
    fix: "send one of them, with the fields that the schema of the tool lists",
    issues: [{ pointer: "#", code: "invalid_value", detail }],
  });
}

/**
 * Returns a body with the fields that the agent sent as separate arguments.
 * @throws AppError validation_failed if the body has one of these fields, too, because one of the
 * two values would be lost
 */
export function addFields(
  form: string,
  body: Record<string, unknown>,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  const name = Object.keys(fields).find((field) => Object.hasOwn(body, field));
  if (name === undefined) return { ...body, ...fields };
  const detail = `'${name}' is both in '${form}' and beside it.`;
  throw new AppError("validation_failed", detail, {
    fix: `send ${name} only beside ${form}`,
    issues: [{ pointer: `#/${form}/${name}`, code: "invalid_value", detail }],
  });
}
