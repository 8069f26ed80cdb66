import { Lexer, Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "../src/domain/html.ts";
import { addressOf, type Page, titleOf } from "./docs/page.ts";

/**
 * A heading with its anchor. The anchor stands at the end of the heading's line (`{#anchor}`), or
 * else is derived from the title.
 */
type Heading = Tokens.Heading & { anchor: string };

/** The samples of one request in several languages, of which a reader opens one at a time. */
type Tabs = { type: "tabs"; raw: string; name: string; tokens: Tokens.Code[] };

const marked = new Marked({
  extensions: [
    {
      name: "tabs",
      renderer(token) {
        const { name, tokens } = token as Tabs;
        const tabs = tokens.map(
          (sample, i) =>
            `<details name="${escapeHtml(name)}"${i === 0 ? " open" : ""}>${renderCode(sample)}</details>\n`,
        );
        return `<div class="tabs">\n${tabs.join("")}</div>\n`;
      },
    },
  ],
  renderer: {
    heading(token) {
      const { depth, tokens, anchor } = token as Heading;
      return `<h${depth} id="${escapeHtml(anchor)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code(token) {
      const code = renderCode(token);
      return titleOfCode(token) === undefined ? code : `<details>${code}</details>\n`;
    },
    link({ href, tokens, raw }) {
      if (!/^(https?:\/\/|#|\/(?!\/))/.test(href)) return escapeHtml(raw);
      // The server replaces `{{path}}` with the path of its public URL.
      const path = href.startsWith("/") ? "{{path}}" : "";
      return `<a href="${path}${escapeHtml(href)}">${this.parser.parseInline(tokens)}</a>`;
    },
    html: ({ raw }) => escapeHtml(raw),
    image: ({ raw }) => escapeHtml(raw),
  },
});

const titleOfCode = ({ lang = "" }: Tokens.Code): string | undefined => / (.*)/.exec(lang)?.[1];

/**
 * Renders a block of code. If the block has a title, it stands before the code as a `<summary>`.
 */
function renderCode(token: Tokens.Code): string {
  const [language = ""] = (token.lang ?? "").split(" ");
  const title = titleOfCode(token);
  const summary = title === undefined ? "" : `<summary>${escapeHtml(title)}</summary>\n`;
  // The keyboard must be able to scroll a block that is wider than the page.
  return `${summary}<pre tabindex="0"><code class="language-${escapeHtml(language)}">${escapeHtml(token.text)}</code></pre>\n`;
}

const SAMPLE_LANGUAGES = /^(?:sh|ts|python) /;

/** Joins consecutive samples into tabs. */
function joinSamples(tokens: readonly Token[]): (Token | Tabs)[] {
  const joined: (Token | Tabs)[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    const isSample = token.type === "code" && SAMPLE_LANGUAGES.test(token.lang ?? "");
    if (!isSample) joined.push(token);
    else if (last?.type === "tabs") (last as Tabs).tokens.push(token as Tokens.Code);
    else
      joined.push({
        type: "tabs",
        raw: "",
        name: `sample-${joined.length}`,
        tokens: [token as Tokens.Code],
      });
  }
  return joined;
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

function toHeading(heading: Tokens.Heading, taken: Set<string>): Heading {
  const [, title = heading.text, given] = /^(.*?) \{#(\S+)\}$/.exec(heading.text) ?? [];
  const wanted = given ?? slugOf(title);
  let anchor = wanted;
  for (let n = 2; taken.has(anchor); n++) anchor = `${wanted}-${n}`;
  taken.add(anchor);
  return { ...heading, tokens: Lexer.lexInline(title), anchor };
}

const isHeading = (token: Token): token is Heading => token.type === "heading";

/** A heading of depth 1 or 2, with the text up to the next one. */
export type Section = { depth: number; anchor: string; heading: string; text: string };

type Rendered = { html: string; contents: string; sections: Section[] };

/**
 * Renders Markdown as HTML, and its headings as a table of contents. HTML in the text is escaped.
 * Links must be absolute or local.
 */
export function renderMarkdown(markdown: string): Rendered {
  const taken = new Set<string>();
  const tokens = joinSamples(marked.lexer(markdown).filter(({ type }) => type !== "space")).map(
    (token) => (isHeading(token) ? toHeading(token, taken) : token),
  );
  const entries = tokens.flatMap((token, i) =>
    isHeading(token) ? [{ ...token, route: routeIn(tokens[i + 1]) }] : [],
  );
  return {
    html: marked.parser(tokens),
    contents: renderContents(entries),
    sections: sectionsOf(tokens),
  };
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = [];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (isHeading(token) && token.depth <= 2)
      sections.push({
        depth: token.depth,
        anchor: token.anchor,
        heading: token.tokens.map(({ raw }) => raw).join(""),
        text: "",
      });
    else if (last !== undefined && token.type !== "code") last.text += ` ${token.raw}`;
  }
  return sections;
}

/**
 * Returns the route if a paragraph consists of one, such as `GET
 * /v1/businesses/{businessSlug}/menu`, or else an empty string.
 */
const routeIn = (token: Token | undefined): string =>
  /^`([A-Z]+ \/\S*)`$/.exec(token?.type === "paragraph" ? token.raw.trim() : "")?.[1] ?? "";

type Entry = Heading & { route: string };

/** A longer list of entries is closed until the reader opens it. */
const MAX_OPEN = 20;

function renderContents(entries: readonly Entry[]): string {
  const sections: { title: Entry; entries: Entry[] }[] = [];
  for (const entry of entries) {
    if (entry.depth === 2) sections.push({ title: entry, entries: [] });
    else if (entry.depth === 3) sections.at(-1)?.entries.push(entry);
  }
  const items = sections.map(({ title, entries }) => {
    const list = entries.length === 0 ? "" : `<ul>${entries.map(renderEntry).join("")}</ul>`;
    const isLong = entries.length > MAX_OPEN;
    return `<li>${renderLink(title)}${isLong ? `<details><summary>Show all ${entries.length}</summary>${list}</details>` : list}</li>\n`;
  });
  return `<ul>\n${items.join("")}</ul>`;
}

const renderEntry = (entry: Entry): string => `<li>${renderLink(entry)}</li>`;

const renderLink = ({ anchor, tokens, route }: Entry): string => {
  const shortRoute = route.replace("/v1/businesses/{businessSlug}/", "…/");
  const suffix = route === "" ? "" : ` <code>${escapeHtml(shortRoute)}</code>`;
  return `<a href="#${escapeHtml(anchor)}">${marked.Parser.parseInline(tokens)}${suffix}</a>`;
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32"><rect width="32" height="32" rx="7" fill="#8a5a00"/><path d="M6 22h20v3H6zM8 20a8 8 0 0 1 16 0zM15 9h2v3h-2zM13 7h6v2h-6z" fill="#fff"/></svg>`;

/** Returns a page with its navigation as HTML. The server fills in `{{base}}` and `{{path}}`. */
export function renderHtml(page: Page, pages: readonly Page[]): string {
  const { html, contents } = renderMarkdown(page.markdown);
  const title = escapeHtml(titleOf(page));
  const links = pages.map((other) => {
    const current = other === page ? ' aria-current="page"' : "";
    return `<li><a href="{{path}}${addressOf(other)}"${current}>${escapeHtml(titleOf(other))}</a></li>\n`;
  });
  return `<!doctype html>
<html lang="en" data-base="{{base}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.name === "" ? title : `${title} · deskbell`}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="alternate" type="text/markdown" href="{{path}}${addressOf(page)}.md">
<link rel="stylesheet" href="{{path}}/docs/style.css">
<script type="module" src="{{path}}/docs/script.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p class="brand">${ICON.replace("<svg", '<svg aria-hidden="true"')} deskbell</p>
<details class="contents">
<summary>Contents</summary>
<ul class="pages">
${links.join("")}</ul>
${contents}
</details>
<p><a href="{{path}}${addressOf(page)}.md">Markdown</a> · <a href="{{path}}/openapi.json">OpenAPI</a> · <a href="{{path}}/llms.txt">llms.txt</a></p>
</nav>
<main id="content" tabindex="-1">
${html}</main>
</body>
</html>
`;
}
