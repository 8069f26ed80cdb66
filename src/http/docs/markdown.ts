import { type Html, html, EMPTY } from "./html.ts";

// The part of Markdown that our own texts use. Markup in a text is shown, not obeyed.

export type HeadingIds = (title: string) => string;

type Block = { rest: string[]; markup: Html };

const FENCE = /^```(\w*)$/;
const HEADING = /^(#{1,4}) (.+)$/;
const ITEM = /^(?:- |\d+\. )/;
const ROW = /^\|.*\|$/;

/** @param idOf the anchor of a heading; without it headings have none */
export function renderMarkdown(text: string, idOf?: HeadingIds): Html[] {
  const blocks: Html[] = [];
  let lines = text.split("\n");
  while (lines.length > 0) {
    const { rest, markup } = takeBlock(lines, idOf);
    blocks.push(markup);
    lines = rest;
  }
  return blocks;
}

function takeBlock(lines: string[], idOf: HeadingIds | undefined): Block {
  const [line = ""] = lines;
  if (line.trim() === "") return { rest: lines.slice(1), markup: EMPTY };
  const fence = FENCE.exec(line);
  if (fence) return takeCode(lines, fence[1] ?? "");
  const heading = HEADING.exec(line);
  if (heading)
    return {
      rest: lines.slice(1),
      markup: renderHeading(heading[1] ?? "", heading[2] ?? "", idOf),
    };
  if (ITEM.test(line)) return takeList(lines);
  if (ROW.test(line)) return takeTable(lines);
  return takeParagraph(lines);
}

function takeCode(lines: string[], language: string): Block {
  const end = lines.indexOf("```", 1);
  const last = end === -1 ? lines.length : end;
  const code = lines.slice(1, last).join("\n");
  const markup = html`<pre><code class="language-${language}">${code}</code></pre>`;
  return { rest: lines.slice(last + 1), markup };
}

/** One level down: the page has a title of its own. */
function renderHeading(hashes: string, title: string, idOf: HeadingIds | undefined): Html {
  const level = hashes.length + 1;
  const id = idOf === undefined ? EMPTY : html` id="${idOf(title)}"`;
  return html`<h${level}${id}>${renderInline(title)}</h${level}>`;
}

/** Items may go on over lines that are indented. */
function takeList(lines: string[]): Block {
  const count = countWhile(lines, (line) => ITEM.test(line) || /^ {2,}\S/.test(line));
  const items: string[] = [];
  for (const line of lines.slice(0, count)) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items.push(`${items.pop()} ${line.trim()}`);
  }
  const inside = items.map((item) => html`<li>${renderInline(item)}</li>`);
  const markup = lines[0]?.startsWith("- ")
    ? html`<ul>
        ${inside}
      </ul>`
    : html`<ol>
        ${inside}
      </ol>`;
  return { rest: lines.slice(count), markup };
}

function takeTable(lines: string[]): Block {
  const count = countWhile(lines, (line) => ROW.test(line));
  const [head = [], , ...rows] = lines.slice(0, count).map(cellsOf);
  return {
    rest: lines.slice(count),
    markup: renderTable(
      head.map(renderInline),
      rows.map((row) => row.map(renderInline)),
    ),
  };
}

const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

/** It scrolls within itself: a page on a phone does not. */
export const renderTable = (head: readonly Html[], rows: readonly (readonly Html[])[]): Html =>
  html`<div class="table">
    <table>
      <thead>
        <tr>
          ${head.map((cell) => html`<th>${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

function takeParagraph(lines: string[]): Block {
  // The first line is a paragraph's whatever it looks like, so that something is always taken.
  const count =
    1 +
    countWhile(
      lines.slice(1),
      (line) => line.trim() !== "" && !FENCE.test(line) && !ITEM.test(line),
    );
  return {
    rest: lines.slice(count),
    markup: html`<p>${renderInline(lines.slice(0, count).join(" "))}</p>`,
  };
}

const countWhile = (lines: string[], fits: (line: string) => boolean): number => {
  const end = lines.findIndex((line) => !fits(line));
  return end === -1 ? lines.length : end;
};

const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:\/\/|#|\/(?!\/))[^\s)]*)\)/g;

/** Code, strong words and links within a line; a link that leads elsewhere than to a page stays text. */
export function renderInline(text: string): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const {
    0: whole,
    1: code,
    2: strong,
    3: label = "",
    4: target = "",
    index,
  } of text.matchAll(SPAN)) {
    parts.push(html`${text.slice(end, index)}`, renderSpan(code, strong, label, target));
    end = index + whole.length;
  }
  return html`${parts}${text.slice(end)}`;
}

function renderSpan(
  code: string | undefined,
  strong: string | undefined,
  label: string,
  target: string,
): Html {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (strong !== undefined) return html`<strong>${strong}</strong>`;
  return html`<a href="${target}">${label}</a>`;
}
