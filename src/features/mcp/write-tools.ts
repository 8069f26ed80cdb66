import { z } from "zod";
import type { Scope } from "../../domain/api-key.ts";
import { AppError } from "../../domain/errors.ts";
import { lazy } from "../../domain/lazy.ts";
import { guestDetails, holdBody } from "../../http/handlers/bookings/bodies.ts";
import { IDEMPOTENCY_KEY } from "../../http/pipeline/idempotency.ts";
import {
  addFields,
  argumentsSchema,
  BOOK_FORMS,
  CHANGE_FORMS,
  chooseForm,
  describeArguments,
  describeForms,
  dryRun,
  type Form,
  HOLD_FORMS,
  offeredForms,
  type WriteArguments,
  parse,
  sentFields,
} from "./bodies.ts";
import { chooseBusiness, type Caller, readForWrite } from "./caller.ts";
import { dateOf, weekdayOf } from "./forms.ts";
import type { Tool } from "./tool.ts";
import { create, write } from "./write.ts";

// The tools that hold, book, change and cancel. Each sends one request to the API.

const DRY_RUN = "`dryRun: true` checks everything, shows the price and changes nothing.";
const PREVIEW = `${DRY_RUN} Preview, ask the guest, then call again without \`dryRun\`; if the guest has agreed to this time and price already, no preview is needed.`;

const TOKEN_ERROR = "a text of 1 to 255 printable ASCII characters without spaces";
const idempotencyKey = (noun: string) =>
  z
    .string({ error: TOKEN_ERROR })
    .regex(IDEMPOTENCY_KEY, { error: TOKEN_ERROR })
    .optional()
    .describe(
      `A new random text for each ${noun}, and the same text if you repeat the call because you got no answer; required unless \`dryRun\`, whose result proposes one`,
    );

const WRITE: readonly Scope[] = ["bookings.write"];

const ttlSeconds = () => holdBody().shape.ttlSeconds;

export const hold: Tool = {
  name: "hold",
  title: "Hold a time",
  description: `Keep a free time or table for some minutes while the guest decides. Send exactly one of \`visit\` and \`table\`. Then book with only \`holdId\` in \`visit\` or \`table\`, at the same price. Not needed if you can book at once. ${DRY_RUN}`,
  scopes: WRITE,
  writes: "adds",
  describeArguments: (caller) =>
    describeArguments(
      {
        ...describeForms(HOLD_FORMS, caller),
        ttlSeconds: ttlSeconds(),
        dryRun: dryRun(),
        idempotencyKey: idempotencyKey("hold"),
      },
      { isNew: true },
    ),
  async call(caller, args) {
    const schema = argumentsSchema(HOLD_FORMS, {
      idempotencyKey: idempotencyKey("hold"),
      ttlSeconds: z.number({ error: "a whole number of seconds" }).optional(),
    });
    const parsed = parse(schema, args);
    const { name, body } = chooseForm(HOLD_FORMS, parsed);
    const addedFields = ["ttlSeconds"];
    return create(caller, parsed, {
      operationId: HOLD_FORMS[name].operationId,
      body: addFields(name, body, sentFields(parsed, addedFields)),
      field: name,
      addedFields,
    });
  },
};

export const book: Tool = {
  name: "book",
  title: "Book",
  description: `Book a visit, reserve a table or order tickets. Send exactly one of \`visit\`, \`table\` and \`tickets\`, and beside it \`customer\`, if the guest agrees to give a name and contact details; \`customerStored\` in the result says which were stored. Keep the \`id\` of the result: change_booking and cancel_booking need it, and a lost one cannot be found again. change_booking can show a visit or table. A PENDING booking waits for the business; a ticket order is kept until \`expiresAt\`, until when the shop that holds the API key confirms the payment. ${PREVIEW}`,
  scopes: ["bookings.write", "tickets.write"],
  writes: "adds",
  describeArguments: (caller) =>
    describeArguments(
      {
        ...describeForms(BOOK_FORMS, caller),
        ...guestDetails(),
        dryRun: dryRun(),
        idempotencyKey: idempotencyKey("booking"),
      },
      { isNew: true },
    ),
  async call(caller, args) {
    const forms = offeredForms(BOOK_FORMS, caller);
    const guestFields = Object.keys(guestDetails());
    // The API checks the fields of the guest, so the tool accepts any value in them.
    const unchecked = Object.fromEntries(guestFields.map((name) => [name, z.unknown().optional()]));
    const schema = argumentsSchema(forms, {
      ...unchecked,
      idempotencyKey: idempotencyKey("booking"),
    });
    const parsed = parse(schema, args);
    const { name, body } = chooseForm(forms, parsed);
    const { operationId } = forms[name] as Form;
    const guest = sentFields(parsed, guestFields);
    const event = name === "tickets" ? await findEvent(caller, parsed, body["eventId"]) : undefined;
    return create(caller, parsed, {
      operationId,
      body: addFields(name, body, guest),
      field: name,
      addedFields: Object.keys(guest),
      ...(event && { toData: (order) => withNames(order as Order, event) }),
    });
  },
};

type EventNames = { name: string; startsAt: string; ticketTypes: { id: string; name: string }[] };

/**
 * Returns the event of an order. The event is read before the order is sent, because an error
 * afterwards would look like a failed order.
 */
async function findEvent(
  caller: Caller,
  { business }: WriteArguments,
  id: unknown,
): Promise<EventNames | undefined> {
  return readForWrite(
    caller,
    chooseBusiness(caller, business),
    ["events"],
    ({ context, forms }) => {
      const doc = context.findVisibleById("public_event", String(id));
      return doc && forms.events(doc);
    },
  );
}

type Order = { items: { ticketTypeId: string }[] } & Record<string, unknown>;

/** Returns an order with the names of its event and its ticket types. */
const withNames = (order: Order, { name, startsAt, ticketTypes }: EventNames) => ({
  ...order,
  event: { name, weekday: weekdayOf(dateOf(startsAt)), startsAt },
  items: order.items.map((item) => ({
    ...item,
    name: ticketTypes.find(({ id }) => id === item.ticketTypeId)?.name,
  })),
});

/** The operations of the API that change an object, by the prefix of its ID. */
const OPERATIONS: Readonly<
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

const ID_ERROR =
  "the ID of a booking (bkg_…), a reservation (rsv_…), a ticket order (tor_…) or a hold (hld_…)";
const idSchema = lazy(() =>
  z
    .string({ error: ID_ERROR })
    .regex(/^(?:bkg|rsv|tor|hld)_\w{1,40}$/, { error: ID_ERROR })
    .describe("ID in the result of book or hold"),
);

const operationsOf = (id: unknown) => OPERATIONS[String(id).slice(0, 3)];

export const changeBooking: Tool = {
  name: "change_booking",
  title: "Change a booking",
  description: `Move a visit or a table to another free time of find_times, or change the guest's data. Send exactly one of \`visit\`, \`table\` and \`guest\`. Moving keeps the services, the people and the price if you send only \`startsAt\`; for anyone who is free at the new time, send \`startsAt\` and \`segments\` of \`book.visit\` of find_times, without \`guests\`. Moving is possible until \`cancelUntil\` of the booking; later, ask the business. ${PREVIEW}`,
  scopes: WRITE,
  writes: "changes",
  describeArguments: (caller) =>
    describeArguments({
      id: idSchema(),
      ...describeForms(CHANGE_FORMS, caller),
      dryRun: dryRun(),
    }),
  async call(caller, args) {
    const parsed = parse(argumentsSchema(CHANGE_FORMS, { id: idSchema() }), args);
    const { name, body } = chooseForm(CHANGE_FORMS, parsed);
    const operations = operationsOf(parsed["id"]);
    const move = operations?.moves;
    const moveId = move?.field === name ? move.operationId : undefined;
    const operationId = name === "guest" ? operations?.updates : moveId;
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
  id: idSchema(),
  reason: z
    .string({ error: "a text" })
    .optional()
    .describe("Why it is cancelled, without personal data; at most 200 characters"),
}));

export const cancelBooking: Tool = {
  name: "cancel_booking",
  title: "Cancel a booking",
  description: `Cancel a booking, a table reservation or a ticket order, or release a hold. It cannot be undone. This takes no fee, and pays back nothing that was paid. A visit or table can be cancelled until its \`cancelUntil\`, which the business has set; later, ask the business. \`dryRun: true\` shows the booking, and changes nothing.`,
  scopes: ["bookings.write", "tickets.write"],
  writes: "changes",
  describeArguments: () => describeArguments({ ...cancelFields(), dryRun: dryRun() }),
  async call(caller, args) {
    const parsed = parse(argumentsSchema({}, cancelFields()), args);
    const id = String(parsed["id"]);
    const operationId = operationsOf(id)?.cancels ?? "cancelBooking";
    if (operationId === "deleteHold") return releaseHold(caller, parsed, id);
    const reason = parsed["reason"];
    const body = reason === undefined ? {} : { reason };
    return write(caller, parsed, { operationId, id, body });
  },
};

/** Releases a hold. The API cannot preview a release, so a preview only reads the hold. */
async function releaseHold(caller: Caller, parsed: WriteArguments, id: string): Promise<object> {
  if (parsed.dryRun !== true) {
    await write(caller, parsed, { operationId: "deleteHold", id });
    return { data: { id, status: "RELEASED" } };
  }
  const { dryRun: _omitted, ...withoutDryRun } = parsed;
  const { data } = await write(caller, withoutDryRun, { operationId: "getHold", id });
  return { data, dryRun: true, note: "Nothing has been changed." };
}
