import { renderErrors } from "./errors.ts";
import { anchorOf, Html, html, renderInline, renderParagraphs } from "./html.ts";
import { renderEvents, renderRoute } from "./operation.ts";
import type { ApiDocument, Schema } from "./reference.ts";
import { isEventSchema, renderFields } from "./schema.ts";
import { STYLE } from "./style.ts";

type Scripted = { scriptUrl: string; configuration: Record<string, unknown> };

/** The page for readers without scripts; with scripts, the interactive reference replaces it. */
export function renderPage(document: ApiDocument, guide: Html, scripted: Scripted): string {
  const { info, tags = [], components } = document;
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
            guide,
            groups.map(({ name }) => name),
          )}
          <h2 id="${anchorOf("Overview")}">Overview</h2>
          ${renderParagraphs(info.description ?? "")} ${guide} ${renderErrors()}
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
  // Not in the template: the bundler would rewrite it with a helper from a package that is missing.
  const end = new Html("</script>");
  return html`<script id="api-reference" defer src="${scriptUrl}" data-configuration="${JSON.stringify(configuration)}">${end}`;
}

const routesOf = (document: ApiDocument, tag: string): Html[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags = [] }]) => tags.includes(tag))
      .map(([method, operation]) => renderRoute(document, method, path, operation)),
  );

function renderContents(guide: Html, groups: readonly string[]): Html {
  const guideTitles = [...guide.markup.matchAll(/<h2 id="([^"]+)">(.+?)<\/h2>/g)].map(
    ([, id = "", title = ""]) => html`<a href="#${id}">${new Html(title)}</a>`,
  );
  const links = [
    html`<a href="#${anchorOf("Overview")}">Overview</a>`,
    ...guideTitles,
    html`<a href="#${anchorOf("Errors")}">Errors</a>`,
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
