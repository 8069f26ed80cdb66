import { z } from "zod";
import { lazy } from "../../domain/lazy.ts";
import { parseRequest } from "../../domain/parse-request.ts";
import { AppError } from "../../domain/errors.ts";
import type { Scope } from "../../domain/api-key.ts";
import { holdBody } from "../../http/handlers/bookings/bodies.ts";
import { IDEMPOTENCY_KEY } from "../../http/pipeline/idempotency.ts";
import { chooseBusiness, type Caller } from "./caller.ts";
import { fitObject } from "./fit.ts";
import { type Arguments, describeFields, type Tool } from "./tool.ts";
import { assertSucceeded } from "./tool-errors.ts";

// The tools that hold, book, change and cancel. Each sends one request to the API.

const PREVIEW =
  "Preview with `dryRun: true` first: it checks everything and says the price, and changes nothing. Then ask the guest, and call again without `dryRun`.";

const dryRun = () =>
  z
    .boolean({ error: "true or false" })
    .optional()
    .describe("Only check and show what would happen; false by default");

const TOKEN = "a text of 1 to 255 printable ASCII characters without spaces";
const idempotencyKey = () =>
  z
    .string({ error: TOKEN })
    .regex(IDEMPOTENCY_KEY, { error: TOKEN })
    .optional()
    .describe(
      "A new random text for each booking, and the same text if you repeat the call because you got no answer; required unless `dryRun`, whose result proposes one",
    );

/** A body of the API, and the operation that it is for, by the argument that contains it. */
type Form = { operationId: string; describe: (caller: Caller) => z.ZodObject | undefined };
type Forms = Readonly<Record<string, Form>>;

/** Returns the body of a route of the API, which may belong to a feature that is not there. */
const bodyOf = (operationId: string) => ({
  operationId,
  describe: ({ api }: Caller): z.ZodObject | undefined =>
    api.findRoute(operationId)?.body?.schema(),
});

const BOOKED = {
  visit: bodyOf("createBooking"),
  table: bodyOf("createReservation"),
  tickets: bodyOf("createTicketOrder"),
} as const satisfies Forms;

const HELD = {
  visit: {
    operationId: "createHold",
    describe: () => holdBody().pick({ startsAt: true, segments: true, guests: true }),
  },
  table: {
    operationId: "createHold",
    describe: () =>
      holdBody()
        .pick({ startsAt: true, partySize: true, areaId: true })
        .required({ partySize: true }),
  },
} as const satisfies Forms;

const describeForms = (forms: Forms, caller: Caller): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(forms).flatMap(([name, { describe }]) => {
      const schema = describe(caller);
      return schema === undefined ? [] : [[name, schema.optional()]];
    }),
  );

/** Returns the JSON Schema of arguments, some of which are bodies of the API. */
const describe = (fields: Record<string, z.ZodType>) => {
  const { properties, required } = describeFields(z.strictObject(fields));
  return {
    properties: properties as Record<string, unknown>,
    ...(required !== undefined && { required: required as string[] }),
  };
};

/** Returns the schema of the arguments around a body: the API checks the body itself. */
const around = (forms: Forms, fields: Record<string, z.ZodType>) =>
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

type Parsed = {
  business?: string;
  dryRun?: boolean;
  idempotencyKey?: string;
  [field: string]: unknown;
};

const parse = (schema: z.ZodObject, args: Arguments): Parsed =>
  parseRequest(schema, args) as unknown as Parsed;

/** Returns the only body in the arguments. @throws AppError validation_failed */
function chooseForm<F extends Forms>(
  forms: F,
  parsed: Parsed,
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

type Write = {
  operationId: string;
  id?: string;
  body?: object;
  /** The argument that is the body. */
  field?: string;
};

/** Sends a request of the API with the key of the caller. */
async function write(
  caller: Caller,
  { business, dryRun: isDryRun = false, idempotencyKey: token }: Parsed,
  { operationId, id, body, field }: Write,
): Promise<Record<string, unknown>> {
  const slug = chooseBusiness(caller, business);
  const reply = await caller.api.call(caller.context, {
    operationId,
    params: { slug, ...(id !== undefined && { id }) },
    search: isDryRun ? "?dryRun=true" : "",
    body,
    headers: token === undefined ? {} : { "idempotency-key": token },
  });
  const done = assertSucceeded<{ data: object } | null>(reply, field);
  return {
    ...(done !== null && { data: fitObject(done.data) }),
    ...(isDryRun && {
      dryRun: true,
      note: "Nothing has been changed: the IDs in `data` do not exist.",
    }),
    ...(reply.isReplayed && {
      repeated: true,
      note: "This is the result of an earlier call with this idempotencyKey. Send a new one for another booking.",
    }),
  };
}

const WRITE: readonly Scope[] = ["bookings.write"];

/** Returns what to send after a preview that creates something. */
const withNext = (
  { context }: Caller,
  parsed: Parsed,
  result: Record<string, unknown>,
): Record<string, unknown> =>
  parsed.dryRun === true
    ? {
        ...result,
        next: `If the guest agrees, send the same arguments without dryRun and with idempotencyKey ${context.requestId}.`,
      }
    : result;

const ttlSeconds = () => holdBody().shape.ttlSeconds;

export const hold: Tool = {
  name: "hold",
  title: "Hold a time",
  description: `Keep a free time or table for some minutes while the guest decides. Send the \`book\` object of find_times: \`visit\` or \`table\`. Then book with \`{"visit": {"holdId": …}}\` or \`{"table": {"holdId": …}}\`, at the same price. Not needed if you can book at once. ${PREVIEW}`,
  scopes: WRITE,
  writes: "adds",
  describeArguments: (caller) =>
    describe({
      ...describeForms(HELD, caller),
      ttlSeconds: ttlSeconds(),
      dryRun: dryRun(),
      idempotencyKey: idempotencyKey(),
    }),
  async call(caller, args) {
    const schema = around(HELD, {
      idempotencyKey: idempotencyKey(),
      ttlSeconds: z.number({ error: "a whole number of seconds" }).optional(),
    });
    const parsed = parse(schema, args);
    const { name, body } = chooseForm(HELD, parsed);
    const ttl = parsed["ttlSeconds"];
    const result = await write(caller, parsed, {
      operationId: HELD[name].operationId,
      body: { ...body, ...(ttl !== undefined && { ttlSeconds: ttl }) },
      field: name,
    });
    return withNext(caller, parsed, result);
  },
};

export const book: Tool = {
  name: "book",
  title: "Book",
  description: `Book a visit, reserve a table or order tickets. Send exactly one of \`visit\`, \`table\` and \`tickets\`: the \`book\` object of find_times unchanged, or a \`holdId\` of hold, or for tickets the IDs of list_events. Add \`customer\` with the guest's name and contact if the guest agrees. Keep the \`id\` of the result: change_booking and cancel_booking need it. A PENDING booking waits for the business; a ticket order is kept until \`expiresAt\`, until when the shop that holds the API key confirms the payment. ${PREVIEW}`,
  scopes: ["bookings.write", "tickets.write"],
  writes: "adds",
  describeArguments: (caller) =>
    describe({
      ...describeForms(BOOKED, caller),
      dryRun: dryRun(),
      idempotencyKey: idempotencyKey(),
    }),
  async call(caller, args) {
    const forms = offered(BOOKED, caller);
    const parsed = parse(around(forms, { idempotencyKey: idempotencyKey() }), args);
    const { name, body } = chooseForm(forms, parsed);
    const { operationId } = forms[name] as Form;
    return withNext(
      caller,
      parsed,
      await write(caller, parsed, { operationId, body, field: name }),
    );
  },
};

/** Returns the forms whose routes the server has. */
const offered = (forms: Forms, caller: Caller): Forms =>
  Object.fromEntries(
    Object.entries(forms).filter(([, form]) => form.describe(caller) !== undefined),
  );

/** What can be done with an object, by the prefix of its ID. */
const OBJECTS: Readonly<
  Record<
    string,
    { moves?: { field: "visit" | "table"; operationId: string }; updates?: string; cancels: string }
  >
> = {
  bkg: {
    moves: { field: "visit", operationId: "rescheduleBooking" },
    updates: "updateBooking",
    cancels: "cancelBooking",
  },
  rsv: {
    moves: { field: "table", operationId: "rescheduleReservation" },
    updates: "updateReservation",
    cancels: "cancelReservation",
  },
  tor: { cancels: "cancelTicketOrder" },
  hld: { cancels: "deleteHold" },
};

const ID =
  "the ID of a booking (bkg_…), a reservation (rsv_…), a ticket order (tor_…) or a hold (hld_…)";
const objectIdOf = lazy(() =>
  z
    .string({ error: ID })
    .regex(/^(?:bkg|rsv|tor|hld)_\w{1,40}$/, { error: ID })
    .describe("ID in the result of book or hold"),
);

const objectOf = (id: unknown) => OBJECTS[String(id).slice(0, 3)];

const CHANGED = {
  visit: bodyOf("rescheduleBooking"),
  table: bodyOf("rescheduleReservation"),
  guest: bodyOf("updateBooking"),
} as const satisfies Forms;

export const changeBooking: Tool = {
  name: "change_booking",
  title: "Change a booking",
  description: `Move a visit (\`visit\`) or a table (\`table\`) to another free time of find_times, or change the guest's data (\`guest\`). Send exactly one of them. Moving keeps the services, the people and the price if you send only \`startsAt\`; for anyone who is free at the new time, send the \`book\` object of find_times. Possible until \`cancelUntil\` of the booking. ${PREVIEW}`,
  scopes: WRITE,
  writes: "changes",
  describeArguments: (caller) =>
    describe({ id: objectIdOf(), ...describeForms(CHANGED, caller), dryRun: dryRun() }),
  async call(caller, args) {
    const parsed = parse(around(CHANGED, { id: objectIdOf() }), args);
    const { name, body } = chooseForm(CHANGED, parsed);
    const object = objectOf(parsed["id"]);
    const operationId =
      name === "guest"
        ? object?.updates
        : object?.moves?.field === name
          ? object.moves.operationId
          : undefined;
    if (operationId === undefined) throw cannotChange(name);
    return write(caller, parsed, { operationId, id: String(parsed["id"]), body, field: name });
  },
};

function cannotChange(name: string): AppError {
  const detail = `'${name}' does not go with this 'id'.`;
  return new AppError("validation_failed", detail, {
    fix: "send visit for a booking (bkg_…) and table for a reservation (rsv_…); cancel a ticket order or a hold instead, and book again",
    issues: [{ pointer: `#/${name}`, code: "invalid_value", detail }],
  });
}

const cancelFields = lazy(() => ({
  id: objectIdOf(),
  reason: z
    .string({ error: "a text" })
    .optional()
    .describe("Why it is cancelled, without personal data; at most 200 characters"),
}));

export const cancelBooking: Tool = {
  name: "cancel_booking",
  title: "Cancel a booking",
  description: `Cancel a booking, a table reservation or a ticket order, or release a hold. It cannot be undone. Possible until \`cancelUntil\` of the booking. ${PREVIEW}`,
  scopes: ["bookings.write", "tickets.write"],
  writes: "changes",
  describeArguments: () => describe({ ...cancelFields(), dryRun: dryRun() }),
  async call(caller, args) {
    const parsed = parse(around({}, cancelFields()), args);
    const id = String(parsed["id"]);
    const operationId = objectOf(id)?.cancels ?? "cancelBooking";
    if (operationId === "deleteHold") return releaseHold(caller, parsed, id);
    const reason = parsed["reason"];
    const body = reason === undefined ? {} : { reason };
    return write(caller, parsed, { operationId, id, body });
  },
};

/** Releases a hold, which the API does without a preview: a preview only reads it. */
async function releaseHold(caller: Caller, parsed: Parsed, id: string): Promise<object> {
  if (parsed.dryRun !== true) {
    await write(caller, parsed, { operationId: "deleteHold", id });
    return { data: { id, status: "RELEASED" } };
  }
  const { dryRun: _omitted, ...read } = parsed;
  const { data } = await write(caller, read, { operationId: "getHold", id });
  return { data, dryRun: true, note: "Nothing has been changed." };
}
