import type { z } from "zod";
import {
  actionOf,
  CHANGED_FLAGS,
  type EventType,
  prefixOf,
  resourceTypeOf,
} from "./event-types.ts";
import type { business } from "./public/schemas/envelope.ts";

export type EventDraft = {
  type: EventType;
  resource: { type: string; id: string; ids: string[] };
  /** The flags that are true; "all" for created objects. */
  changed: readonly string[] | "all";
  object: unknown;
};

/** @param ids of the resource, then of its parts that are affected */
export const eventDraft = (
  type: EventType,
  changed: EventDraft["changed"],
  object: unknown,
  ids: string[],
): EventDraft => ({
  type,
  resource: { type: resourceTypeOf(prefixOf(type)), id: ids[0] ?? "", ids },
  changed,
  object,
});

/** @param objects every object of the list, in the new order */
export const reorderedEvent = (
  type: EventType,
  objects: readonly { id: string; sortOrder?: number }[],
): EventDraft =>
  eventDraft(
    type,
    [],
    { scope: prefixOf(type), order: objects.map(({ id, sortOrder }) => ({ id, sortOrder })) },
    objects.map(({ id }) => id),
  );

type EnvelopeBusiness = z.infer<typeof business>;

/** The spec's "Webhook event envelope"; `data` has exactly the four keys of its table. */
export type Envelope = {
  id: string;
  type: EventType;
  createdAt: string;
  business: EnvelopeBusiness;
  data: {
    resource: { type: string; id: string; ids: string[] };
    action: string;
    changed: Record<string, boolean>;
    object: unknown;
  };
};

export function createEnvelope(
  draft: EventDraft,
  id: string,
  createdAtMs: number,
  business: EnvelopeBusiness,
): Envelope {
  const { changed } = draft;
  const flags: readonly string[] = CHANGED_FLAGS[prefixOf(draft.type)];
  return {
    id,
    type: draft.type,
    createdAt: new Date(createdAtMs).toISOString(),
    business: {
      id: business.id,
      slug: business.slug,
      name: business.name,
      timezone: business.timezone,
    },
    data: {
      resource: draft.resource,
      action: actionOf(draft.type),
      changed: Object.fromEntries(
        flags.map((flag) => [flag, changed === "all" || changed.includes(flag)]),
      ),
      object: draft.object,
    },
  };
}
