import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { countOf } from "../../../domain/text.ts";
import { createPartnerStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  const store = rt.openStore(createPartnerStore);
  const partners = store.list().map(({ id, name, coversFuture }) => ({
    name,
    businesses: store.countReached(id),
    coversFuture,
  }));
  return {
    rows: partners.map(({ name, businesses }) => ({
      about: "partner",
      state: `${name} reaches ${countOf(businesses, "business")}`,
    })),
    fields: { partners },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
