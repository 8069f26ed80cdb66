import { STATUS_CODES } from "node:http";
import { PROBLEM_CODES } from "../pipeline/problem-codes.ts";
import { anchorOf, type Html, html, renderInline, renderParagraphs } from "./html.ts";

const INTRODUCTION = `Every error is a problem document (RFC 9457, \`application/problem+json\`). Use \`code\` in your program: it is stable, whereas \`detail\` is for people.

\`errors\` lists every error in the request. \`requestId\` (also in the header \`Request-Id\`) identifies the request in the server's log.`;

const sections = () =>
  [...Map.groupBy(Object.entries(PROBLEM_CODES), ([, [status]]) => status)]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => ({
      title: `${status} ${STATUS_CODES[status]}`,
      items: codes.map(([code, [, meaning, advice]]) => `\`${code}\`: ${meaning} ${advice}`),
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
