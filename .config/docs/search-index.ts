import { HTTP_CODES, meaningOf, PROBLEM_CODES } from "../../src/http/pipeline/problem-codes.ts";
import { renderMarkdown } from "../docs-html.ts";
import { problemAnchor } from "./errors.ts";
import { eventAnchor, listEvents } from "./events.ts";
import { addressOf, type Page, titleOf } from "./page.ts";
import { type ApiDocument, listRoutes } from "./reference.ts";
import { type Entry, stemOf, stemsOf, wordsOf } from "./search.ts";
import { SYNONYMS } from "./synonyms.ts";

const everydayByStem = new Map(
  [...Map.groupBy(SYNONYMS, ([word]) => stemOf(word))].map(([stem, rows]) => [
    stem,
    rows.map(([, everyday]) => everyday).join(" "),
  ]),
);

/** Returns the index of everything that readers of /docs search for. */
export function createSearchIndex(document: ApiDocument, pages: readonly Page[]): Entry[] {
  return [
    ...listRoutes(document).map(({ operation: { operationId = "", summary = "", description } }) =>
      toEntry("Operation", summary, `/docs#${operationId}`, operationId, description),
    ),
    ...listEvents(document).map(([type, { description }]) =>
      toEntry("Event", type, `/docs#${eventAnchor(type)}`, type, description),
    ),
    ...HTTP_CODES.map((code) =>
      toEntry(
        "Problem",
        code,
        `/docs#${problemAnchor(code)}`,
        String(PROBLEM_CODES[code][0]),
        `${meaningOf(code)} ${PROBLEM_CODES[code][2]}`,
      ),
    ),
    ...pages.flatMap(sectionsOf),
  ];
}

/**
 * Pages of which only the first section is indexed. The changelog mentions everything, so nearly
 * every search would find it.
 */
const ONLY_TITLE = ["changelog"];

/** Returns an entry for each section of a page; the first one has the title of the page. */
function sectionsOf(page: Page): Entry[] {
  const title = titleOf(page);
  const address = addressOf(page);
  const { sections } = renderMarkdown(page.markdown);
  return sections
    .slice(0, ONLY_TITLE.includes(page.name) ? 1 : undefined)
    .map(({ anchor, heading, text }, i) =>
      i === 0
        ? toEntry("Guide", heading, address, heading, text)
        : toEntry("Guide", `${title}: ${heading}`, `${address}#${anchor}`, heading, text),
    );
}

const join = (words: readonly string[]): string => stemsOf(words).join(" ");

function toEntry(kind: string, title: string, url: string, name: string, text = ""): Entry {
  const names = wordsOf(`${title} ${name}`);
  const everyday = names.flatMap((word) => wordsOf(everydayByStem.get(stemOf(word)) ?? ""));
  return { kind, title, url, words: [join(names), join(everyday), join(wordsOf(text))] };
}
