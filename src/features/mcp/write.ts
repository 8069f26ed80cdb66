import { chooseBusiness, type Caller } from "./caller.ts";
import type { WriteArguments } from "./bodies.ts";
import { fitObject } from "./fit.ts";
import { describeTotal, toBusiness } from "./forms.ts";
import { assertSucceeded, type SentBody } from "./tool-errors.ts";

type Data = Record<string, unknown>;
type Segmented = { segments?: readonly { serviceId?: string }[] };

export type Write = SentBody & {
  operationId: string;
  id?: string;
  /** Converts the data of the API's response into the data of the tool's result. */
  toData?: (data: Data) => Data;
};

/** Sends a request to the API with the key of the caller. */
export async function write(
  caller: Caller,
  { business, dryRun: isDryRun = false, idempotencyKey: token }: WriteArguments,
  { operationId, id, body, toData = (data) => data, ...sent }: Write,
): Promise<Record<string, unknown>> {
  const slug = chooseBusiness(caller, business);
  const reply = await caller.api.call(caller.context, {
    operationId,
    params: { slug, ...(id !== undefined && { id }) },
    search: isDryRun ? "?dryRun=true" : "",
    body,
    headers: token === undefined ? {} : { "idempotency-key": token },
  });
  const row = caller.rt.store.businesses.findBySlug(slug);
  const total = row && describeTotal(caller.rt, row, listSegments(reply.body));
  const told =
    reply.status < 400 ? reply : { ...reply, body: { ...(reply.body as object), ...total } };
  const response = assertSucceeded<{ data: Data } | null>(told, { ...sent, body });
  const storedFields = isDryRun ? [] : customerFieldsIn(body);
  return {
    ...(row && { business: toBusiness(row, caller.context.now) }),
    ...total,
    ...(response !== null && { data: fitObject(toData(response.data)) }),
    ...(storedFields.length > 0 && { customerStored: storedFields }),
    ...(isDryRun && { dryRun: true, note: "Nothing has been changed." }),
    ...(reply.isReplayed && {
      repeated: true,
      note: "This is the result of an earlier call with this idempotencyKey. Send a new one for another booking.",
    }),
  };
}

/** Returns the segments of a visit, or those of the first free start that a refusal names. */
function listSegments(body: unknown): NonNullable<Segmented["segments"]> {
  const { data, alternatives } = (body ?? {}) as {
    data?: Segmented;
    alternatives?: readonly Segmented[];
  };
  return (data ?? alternatives?.[0])?.segments ?? [];
}

/**
 * Returns the names of the guest's fields that have a value. Results leave out the values
 * themselves.
 */
function customerFieldsIn(body: { customer?: unknown } = {}): string[] {
  const { customer } = body;
  return Object.entries(typeof customer === "object" && customer !== null ? customer : {})
    .filter(([, value]) => value !== null && value !== "")
    .map(([name]) => name);
}

/** Fields that a preview leaves out, because only an object that was created has them. */
const NOT_IN_PREVIEW = new Set(["id", "code", "createdAt", "expiresAt"]);

/** Sends a request that creates something. A preview says what to send next. */
export async function create(
  caller: Caller,
  parsed: WriteArguments,
  { toData = (data) => data, ...request }: Write,
): Promise<Record<string, unknown>> {
  if (parsed.dryRun !== true) return write(caller, parsed, { ...request, toData });
  const toPreview = (data: Data) =>
    Object.fromEntries(Object.entries(toData(data)).filter(([name]) => !NOT_IN_PREVIEW.has(name)));
  return {
    ...(await write(caller, parsed, { ...request, toData: toPreview })),
    next: `If the guest agrees, send the same arguments without dryRun and with idempotencyKey ${caller.context.requestId}.`,
  };
}
