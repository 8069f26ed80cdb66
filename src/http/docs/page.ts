import type { ApiDocument, Operation, Schema } from "./document.ts";
import { renderEvents } from "./events.ts";
import { renderFields } from "./fields.ts";
import { Html, html } from "./html.ts";
import { renderInline, renderMarkdown } from "./markdown.ts";
import { renderRoute } from "./operation.ts";
import { STYLE } from "./style.ts";
import { isEventSchema } from "./type.ts";

type Scripted = { scriptUrl: string; configuration: Record<string, unknown> };

/** The whole reference as a page that needs no script. One that runs puts the interactive reference in its place. */
export function renderPage(document: ApiDocument, scripted: Scripted): string {
  const { info, tags = [], components } = document;
  const guides = renderMarkdown(
    info.description ?? "",
    (title) => `api/description/${slugOf(title)}`,
  );
  const groups = tags
    .map(({ name, description = "" }) => ({ name, description, routes: routesOf(document, name) }))
    .filter(({ routes }) => routes.length > 0);
  const objects = Object.entries(components?.schemas ?? {}).filter(
    ([name, { properties }]) => properties && !isEventSchema(name),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API</title>
        <link rel="icon" href="data:," />
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        ${renderScript(scripted)}
        <main class="plain">
          <h1>${info.title} API</h1>
          ${renderContents(
            info.description ?? "",
            groups.map(({ name }) => name),
          )}
          ${guides}
          <h2 id="routes">Routes</h2>
          ${groups.map(
            ({ name, description, routes }) =>
              html`<section>
                <h3 id="${name}">${name}</h3>
                <p>${renderInline(description)}</p>
                ${routes}
              </section>`,
          )}
          <h2 id="events">Events</h2>
          ${renderEvents(document)}
          <h2 id="objects">Objects</h2>
          ${objects.map(([name, schema]) => renderObject(name, schema))}
        </main>
      </body>
    </html> `.markup;
}

function renderScript({ scriptUrl, configuration }: Scripted): Html {
  // In no template: the bundler rewrites one that holds it, with a helper out of a package that is not there.
  const end = new Html("</script>");
  return html`<script id="api-reference" defer src="${scriptUrl}" data-configuration="${JSON.stringify(configuration)}">${end}`;
}

function routesOf(document: ApiDocument, tag: string): Html[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      method,
      path,
      operation,
    ]),
  );
  return all
    .filter(([, , { tags = [] }]) => tags.includes(tag))
    .map(([method, path, operation]) => renderRoute(document, method, path, operation));
}

function renderContents(markdown: string, groups: readonly string[]): Html {
  const titles = [...markdown.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^# (.+)$/gm)].map(
    ([, title = ""]) => title,
  );
  const links = [
    ...titles.map((title) => html`<a href="#api/description/${slugOf(title)}">${title}</a>`),
    ...groups.map((name) => html`<a href="#${name}">${name}</a>`),
    html`<a href="#events">Events</a>`,
    html`<a href="#objects">Objects</a>`,
  ];
  return html`<nav>${links}</nav>`;
}

const renderObject = (name: string, schema: Schema): Html =>
  html`<article id="${name}">
    <h4>${name}</h4>
    ${renderFields(schema)}
  </article> `;

/** As the interactive reference makes them, so that a link leads to the same place in both. */
const slugOf = (title: string): string => title.toLowerCase().replace(/[^\w]+/g, "-");
