import { codeBlock, heading, joinBlocks } from "./markdown.ts";
import { renderParameters } from "./operation.ts";
import {
  type ApiDocument,
  type Operation,
  type Parameter,
  resolveRef,
  type Schema,
} from "./reference.ts";
import { renderFields } from "./schema.ts";

const INTRODUCTION =
  "Each event is sent to the endpoints that subscribe to it, with these headers:";

export const eventAnchor = (type: string): string => `event-${type}`;

/** Returns the event types of the document, each with the webhook that describes it. */
export const listEvents = (document: ApiDocument): [type: string, operation: Operation][] =>
  Object.entries(document.webhooks ?? {}).map(([type, { post = {} }]) => [type, post]);

/** Renders what all events share, then a section for each. */
export function renderEvents(document: ApiDocument): string {
  const events = listEvents(document);
  const [first] = events;
  if (first === undefined) return "";
  const [type, operation] = first;
  return joinBlocks(
    INTRODUCTION,
    renderHeaders(document, operation),
    `The body of \`${type}\`; other events differ in \`changed\` and \`object\`:`,
    renderBody(document, operation),
    ...events.map(([name, event]) => renderEvent(document, name, event)),
  );
}

/** Renders one event with everything that a receiver needs, as a page of its own. */
export const renderEventPage = (
  document: ApiDocument,
  type: string,
  operation: Operation,
): string =>
  joinBlocks(
    heading(1, `\`${type}\``),
    ...renderMeaning(document, operation),
    heading(2, "Headers"),
    renderHeaders(document, operation),
    heading(2, "Body"),
    renderBody(document, operation),
    heading(2, "Payload"),
    renderPayload(operation),
  );

const renderEvent = (document: ApiDocument, type: string, operation: Operation): string =>
  joinBlocks(
    heading(3, `\`${type}\``, eventAnchor(type)),
    ...renderMeaning(document, operation),
    `[Payload of \`${type}\`](/docs/events/${type})`,
  );

/** Renders when an event is sent, and its flags. */
function renderMeaning(document: ApiDocument, operation: Operation): string[] {
  const { properties = {} } = bodyOf(document, operation).properties?.["data"] ?? {};
  const flags = Object.entries(properties["changed"]?.properties ?? {});
  return [
    operation.description ?? "",
    flags.map(([flag, { description = "" }]) => `- \`${flag}\`: ${description}`).join("\n"),
  ];
}

const bodyOf = (document: ApiDocument, { requestBody }: Operation): Schema => {
  const [content] = Object.values(requestBody?.content ?? {});
  return resolveRef<Schema>(document, content?.schema ?? {});
};

const renderBody = (document: ApiDocument, operation: Operation): string =>
  renderFields(bodyOf(document, operation));

const renderHeaders = (document: ApiDocument, { parameters = [] }: Operation): string =>
  renderParameters(parameters.map((parameter) => resolveRef<Parameter>(document, parameter)));

const renderPayload = ({ requestBody }: Operation): string =>
  joinBlocks(
    ...Object.values(requestBody?.content ?? {}).map(({ example }) =>
      codeBlock("json", JSON.stringify(example, null, 2)),
    ),
  );
