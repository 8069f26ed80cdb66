import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { countOf } from "../../../domain/text.ts";
import { createPublicPageStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  const slugs = rt.openStore(createPublicPageStore).listPublishedSlugs();
  return {
    rows:
      slugs.length === 0
        ? []
        : [{ about: "pages", state: countOf(slugs.length, "published business") }],
    fields: { publishedBusinesses: slugs },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
