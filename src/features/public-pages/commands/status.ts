import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { countOf } from "../../../domain/text.ts";
import { createPublicPageStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  const published = rt.openStore(createPublicPageStore).listPublished();
  const slugs = published.map(({ slug }) => slug);
  return {
    rows:
      slugs.length === 0
        ? []
        : [{ about: "pages", state: `${countOf(slugs.length, "published business")}` }],
    fields: { publishedBusinesses: slugs },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
