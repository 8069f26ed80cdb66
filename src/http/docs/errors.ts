import { STATUS_CODES } from "node:http";
import { PROBLEM_DESCRIPTIONS } from "../openapi/problem-codes.ts";
import { HTTP_CODES, HTTP_STATUS } from "../pipeline/problems.ts";
import { ADVICE } from "./advice.ts";
import { anchorOf, renderInline, renderParagraphs } from "./blocks.ts";
import { type Html, html } from "./html.ts";

// The list of problem codes: as Markdown for the interactive reference, as HTML for the page.

const INTRODUCTION = `Every error is a problem document (RFC 9457, \`application/problem+json\`). Use \`code\` in your program: it is stable, whereas \`detail\` is for people.

\`errors\` lists every error in the request. \`requestId\` (also in the header \`Request-Id\`) identifies the request in the server's log.`;

const sections = () =>
  [...Map.groupBy(HTTP_CODES, (code) => HTTP_STATUS[code])]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => ({
      title: `${status} ${STATUS_CODES[status]}`,
      items: codes.map((code) => `\`${code}\`: ${PROBLEM_DESCRIPTIONS[code]} ${ADVICE[code]}`),
    }));

export function errorsAsMarkdown(): string {
  const parts = sections().map(
    ({ title, items }) => `## ${title}\n\n${items.map((item) => `- ${item}\n`).join("")}`,
  );
  return `# Errors\n\n${INTRODUCTION}\n\n${parts.join("\n")}`;
}

export const renderErrors = (): Html =>
  html`<h2 id="${anchorOf("Errors")}">Errors</h2>
    ${renderParagraphs(INTRODUCTION)}
    ${sections().map(
      ({ title, items }) =>
        html`<h3 id="${anchorOf(title)}">${title}</h3>
          <ul>
            ${items.map((item) => html`<li>${renderInline(item)}</li>`)}
          </ul>`,
    )}`;
