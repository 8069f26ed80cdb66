import { sentHeaders } from "../../../app/webhooks/sent-request.ts";
import { nextAttemptOf } from "../../../domain/webhooks/failing-endpoint.ts";
import type { AttemptRow } from "../../../store/webhooks/deliveries.ts";
import type { FoundDelivery } from "../../../store/webhooks/delivery-search.ts";
import { fit, type StyledLine, sanitize, type Span, span, wrap, GLYPHS } from "./cells.ts";
import { formatAttempts, liveState, STATE_MARKS } from "./delivery-list.ts";
import type { DeliveryDetail } from "../state/snapshot.ts";
import { type TimeFormat, formatDuration } from "../state/time-format.ts";
import type { TABS } from "../state/ui-state.ts";

/** The longest body that is shown; `deskbell events show` prints all of it. */
const MAX_BODY_CHARS = 32 * 1024;
const LABEL_CELLS = 14;
const NOT_STORED = "(computed per attempt, not stored)";

type Tab = (typeof TABS)[number];

/** The lines that were drawn last, because each key that scrolls draws them again. */
const cache = new WeakMap<DeliveryDetail, { tab: Tab; width: number; lines: StyledLine[] }>();

/** Returns all lines of a tab; the caller selects the visible part. */
export function renderDetail(
  detail: DeliveryDetail,
  tab: Tab,
  timeFormat: TimeFormat,
  width: number,
): StyledLine[] {
  const cached = cache.get(detail);
  if (cached?.tab === tab && cached.width === width) return cached.lines;
  const lines = RENDERERS[tab](detail, width, timeFormat);
  cache.set(detail, { tab, width, lines });
  return lines;
}

type Renderer = (detail: DeliveryDetail, width: number, timeFormat: TimeFormat) => StyledLine[];

const RENDERERS: Record<Tab, Renderer> = {
  summary: renderSummary,
  request: renderRequest,
  response: renderResponse,
  attempts: renderAttempts,
};

function renderSummary(
  { row, event, attempts, takenAt }: DeliveryDetail,
  width: number,
  timeFormat: TimeFormat,
): StyledLine[] {
  const { glyph, word, colour } = STATE_MARKS[liveState(row)];
  const last = attempts.at(-1);
  const { nextAttemptAt: next } = nextAttemptOf(row, takenAt);
  const fields: [string, Span[]][] = [
    [
      "state",
      [
        span(`${glyph} ${word}`, { colour, bold: true }),
        span(explainState(row, timeFormat, takenAt)),
      ],
    ],
    ["event", [span(sanitize(row.eventType)), span(`  ${sanitize(row.eventId)}`, { dim: true })]],
    ["sequence", [span(String(row.sequence))]],
    ["business", [span(sanitize(row.businessSlug))]],
    [
      "endpoint",
      [span(sanitize(row.endpointName, 60)), span(`  ${sanitize(row.endpointId)}`, { dim: true })],
    ],
    ["url", [span(sanitize(row.url, 2048))]],
    ["created", [span(timeFormat.full(row.createdAt))]],
    [
      "attempts",
      [
        span(formatAttempts(row)),
        span(row.attemptsBefore === 0 ? "" : `, ${row.attemptsBefore} before the redelivery`),
      ],
    ],
    ["last response", [span(last === undefined ? "none yet" : formatOutcome(last))]],
    ["next attempt", [span(next === null ? "none" : timeFormat.full(next))]],
    ["delivered", [span(row.deliveredAt === null ? "not yet" : timeFormat.full(row.deliveredAt))]],
    ["body", [span(event === null ? "deleted" : `${event.body.length} bytes`)]],
  ];
  return fields.flatMap(([label, value]) => renderField(label, value, width));
}

/** Returns a field with its label. A value of several lines loses its styles. */
function renderField(label: string, value: readonly Span[], width: number): StyledLine[] {
  const available = width - LABEL_CELLS - 2;
  const head = span(` ${fit(label, LABEL_CELLS)} `, { dim: true });
  const text = value.map(({ text }) => text).join("");
  const lines = wrap(text, available);
  if (lines.length === 1) return [[head, ...value]];
  return lines.map((line, i): StyledLine => [
    i === 0 ? head : span(" ".repeat(LABEL_CELLS + 2)),
    span(line),
  ]);
}

function explainState(row: FoundDelivery, timeFormat: TimeFormat, now: number): string {
  const { nextAttemptAt, heldUntil } = nextAttemptOf(row, now);
  const next = nextAttemptAt === null ? "" : timeFormat.full(nextAttemptAt);
  if (heldUntil !== null) return `  waits for the endpoint, next probe ${next}`;
  switch (liveState(row)) {
    case "PENDING":
      return `  first attempt due ${next}`;
    case "RETRYING":
      return `  next attempt ${next}`;
    case "EXHAUSTED":
      return "  all attempts failed; r redelivers it";
    case "PARKED":
      return "  the endpoint is disabled; E enables it";
    case "CANCELLED":
      return "  r redelivers it";
    case "CORRUPT":
      return "  the stored event was altered and will not be sent";
    case "DELIVERED":
      return "";
  }
}

function renderRequest(detail: DeliveryDetail, width: number): StyledLine[] {
  const { row, event, attempts } = detail;
  if (event === null) return [[span(" The event has been deleted.", { dim: true })]];
  const last = attempts.at(-1);
  const headers = sentHeaders(row, event, last, `… ${NOT_STORED}`);
  const timestamp = headers["webhook-timestamp"];
  const text = event.body.toString();
  const isCut = text.length > MAX_BODY_CHARS;
  const body = isCut ? text.slice(0, MAX_BODY_CHARS) : text;
  return [
    heading(last === undefined ? "headers of the first attempt" : `headers of attempt ${last.n}`),
    ...wrapped(`POST ${sanitize(row.url, 2048)}`, width),
    ...Object.entries(headers).flatMap(([name, value]) =>
      wrapped(`${name}: ${sanitize(value)}`, width),
    ),
    [],
    heading(`body, formatted (${event.body.length} bytes)`),
    ...formatJson(body).flatMap((line) => wrapped(sanitize(line, MAX_BODY_CHARS), width)),
    ...(isCut
      ? [
          [
            span(` … full body: deskbell events show ${sanitize(row.eventId)} --json`, {
              dim: true,
            }),
          ],
        ]
      : []),
    [],
    heading("signed content: <t>.<body>"),
    ...wrapped(`${timestamp}.${sanitize(body, MAX_BODY_CHARS)}`, width),
  ];
}

function formatJson(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split("\n");
  } catch {
    return [body];
  }
}

function renderResponse(
  { attempts }: DeliveryDetail,
  width: number,
  timeFormat: TimeFormat,
): StyledLine[] {
  const last = attempts.at(-1);
  if (last === undefined) return [[span(" No attempt has been made yet.", { dim: true })]];
  const { n, at, responseText } = last;
  return [
    heading(`response to attempt ${n}, ${timeFormat.full(at)}`),
    ...wrapped(formatOutcome(last), width),
    [],
    heading("stored part of the body"),
    ...(responseText === null || responseText === ""
      ? [[span(" (empty)", { dim: true })]]
      : responseText
          .split("\n")
          .flatMap((line) => wrapped(sanitize(line.replace(/\r$/, ""), MAX_BODY_CHARS), width))),
  ];
}

function renderAttempts(
  { attempts }: DeliveryDetail,
  width: number,
  timeFormat: TimeFormat,
): StyledLine[] {
  if (attempts.length === 0) return [[span(" No attempt has been made yet.", { dim: true })]];
  return attempts.toReversed().map((attempt): StyledLine => {
    const { n, at, error } = attempt;
    const { glyph, word, colour } = error === null ? STATE_MARKS.DELIVERED : STATE_MARKS.RETRYING;
    const lead = ` ${String(n).padStart(3)}  ${timeFormat.full(at)}  `;
    return [
      span(lead),
      span(fit(`${glyph} ${word}`, 12), { colour }),
      span(fit(formatOutcome(attempt), Math.max(0, width - lead.length - 12))),
    ];
  });
}

/** Returns a text such as `500 · 812ms` or `timed out: no answer within 10 s · 10s`. */
function formatOutcome({ statusCode, error, outcome, durationMs }: AttemptRow): string {
  const result = statusCode === null ? sanitize(error ?? outcome) : String(statusCode);
  return `${result} ${GLYPHS.dot} ${formatDuration(durationMs)}`;
}

const heading = (text: string): StyledLine => [span(` ${text}`, { bold: true, colour: "cyan" })];

const wrapped = (text: string, width: number): StyledLine[] =>
  wrap(text, width - 2).map((line) => [span(` ${line}`)]);
