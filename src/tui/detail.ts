import { userAgent } from "../assets.ts";
import { deliveryHeaders } from "../domain/webhooks/webhook-post.ts";
import type { AttemptRow } from "../store/deliveries.ts";
import type { LiveRow } from "../store/live.ts";
import { fit, type StyledLine, sanitize, type Span, span, wrap } from "./cells.ts";
import { GLYPHS, liveState, STATE_MARKS } from "./glyphs.ts";
import { formatAttempts } from "./delivery-list.ts";
import type { DeliveryDetail } from "./snapshot.ts";
import { type TimeFormat, formatDuration } from "./time-format.ts";
import type { TABS } from "./ui-state.ts";

/** Of a larger body the rest is left to `deskbell events show`. */
const SHOWN_BYTES = 32 * 1024;
const LABEL = 12;
const SIGNED_ANEW = "(signed anew each time, never kept)";

type Tab = (typeof TABS)[number];

/** Scrolling asks for the same text again with each key. */
const written = new WeakMap<DeliveryDetail, { tab: Tab; width: number; lines: StyledLine[] }>();

/** The whole text of a tab, to be scrolled. */
export function renderDetail(
  detail: DeliveryDetail,
  tab: Tab,
  clock: TimeFormat,
  width: number,
): StyledLine[] {
  const before = written.get(detail);
  if (before?.tab === tab && before.width === width) return before.lines;
  const lines = writeTab(detail, tab, clock, width);
  written.set(detail, { tab, width, lines });
  return lines;
}

function writeTab(
  detail: DeliveryDetail,
  tab: Tab,
  clock: TimeFormat,
  width: number,
): StyledLine[] {
  switch (tab) {
    case "summary":
      return summary(detail, clock, width);
    case "request":
      return request(detail, width);
    case "response":
      return response(detail, clock, width);
    case "attempts":
      return attempts(detail, clock, width);
  }
}

function summary(
  { row, event, attempts }: DeliveryDetail,
  clock: TimeFormat,
  width: number,
): StyledLine[] {
  const { glyph, word, colour } = STATE_MARKS[liveState(row)];
  const last = attempts.at(-1);
  const fields: [string, Span[]][] = [
    ["state", [span(`${glyph} ${word}`, { colour, bold: true }), span(explainState(row, clock))]],
    ["event", [span(sanitize(row.eventType)), span(`  ${sanitize(row.eventId)}`, { dim: true })]],
    ["sequence", [span(String(row.sequence))]],
    ["business", [span(sanitize(row.businessSlug))]],
    [
      "endpoint",
      [span(sanitize(row.endpointName, 60)), span(`  ${sanitize(row.endpointId)}`, { dim: true })],
    ],
    ["url", [span(sanitize(row.url, 2048))]],
    ["created", [span(clock.full(row.createdAt))]],
    [
      "attempts",
      [
        span(formatAttempts(row)),
        span(row.attemptsBefore === 0 ? "" : `, ${row.attemptsBefore} before it was sent again`),
      ],
    ],
    ["last answer", [span(last === undefined ? "none yet" : answerOf(last))]],
    ["next try", [span(row.nextAttemptAt === null ? "none" : clock.full(row.nextAttemptAt))]],
    ["delivered", [span(row.deliveredAt === null ? "not yet" : clock.full(row.deliveredAt))]],
    ["body", [span(event === null ? "gone" : `${event.body.length} bytes`)]],
  ];
  return fields.flatMap(([label, value]) => field(label, value, width));
}

/** A field whose value may need several lines. */
function field(label: string, value: readonly Span[], width: number): StyledLine[] {
  const room = width - LABEL - 2;
  const head = span(` ${fit(label, LABEL)} `, { dim: true });
  const text = value.map(({ text }) => text).join("");
  if (wrap(text, room).length === 1) return [[head, ...value]];
  return wrap(text, room).map((line, i): StyledLine => [
    i === 0 ? head : span(" ".repeat(LABEL + 2)),
    span(line),
  ]);
}

function explainState(row: LiveRow, clock: TimeFormat): string {
  const next = row.nextAttemptAt === null ? "" : clock.full(row.nextAttemptAt);
  switch (liveState(row)) {
    case "PENDING":
      return `  its first attempt is due ${next}`;
    case "RETRYING":
      return `  it is tried again ${next}`;
    case "EXHAUSTED":
      return "  every attempt failed; r sends it again";
    case "PARKED":
      return "  its endpoint is disabled; deskbell webhooks enable takes it up";
    case "CANCELLED":
      return "  it was given up; r sends it again";
    case "CORRUPT":
      return "  the event on file is damaged and will not be signed";
    case "DELIVERED":
      return "";
  }
}

function request({ row, event, attempts }: DeliveryDetail, width: number): StyledLine[] {
  if (event === null) return [[span(" The event is gone.", { dim: true })]];
  const { id: deliveryId, eventId, eventType, sequence } = row;
  const last = attempts.at(-1);
  const cover = {
    deliveryId,
    eventId,
    eventType,
    sequence,
    attempt: last?.n ?? row.attemptCount + 1,
  };
  const at = last?.at ?? event.createdAt;
  const seconds = Math.floor(at / 1000);
  const headers = {
    ...deliveryHeaders(cover, userAgent(), [], at, event.body),
    // Signatures are nobody's to read from a screen.
    "X-Service-Signature": `t=${seconds},v1=… ${SIGNED_ANEW}`,
    "webhook-signature": `v1,… ${SIGNED_ANEW}`,
  };
  const text = event.body.toString();
  const cut = text.length > SHOWN_BYTES;
  const body = cut ? text.slice(0, SHOWN_BYTES) : text;
  return [
    heading(
      last === undefined ? "headers of its first attempt" : `headers of attempt ${cover.attempt}`,
    ),
    ...wrapped(`POST ${sanitize(row.url, 2048)}`, width),
    ...Object.entries(headers).flatMap(([name, value]) =>
      wrapped(`${name}: ${sanitize(value)}`, width),
    ),
    [],
    heading(`body, set out for reading (${event.body.length} bytes)`),
    ...pretty(body).flatMap((line) => wrapped(sanitize(line, SHOWN_BYTES), width)),
    ...(cut
      ? [[span(` … the rest: deskbell events show ${sanitize(eventId)} --json`, { dim: true })]]
      : []),
    [],
    heading("the exact bytes signed: <t>.<body>"),
    ...wrapped(`${seconds}.${sanitize(body, SHOWN_BYTES)}`, width),
  ];
}

function pretty(body: string): string[] {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).split("\n");
  } catch {
    return [body];
  }
}

function response({ attempts }: DeliveryDetail, clock: TimeFormat, width: number): StyledLine[] {
  const last = attempts.at(-1);
  if (last === undefined) return [[span(" Nothing was sent yet.", { dim: true })]];
  const { n, at, responseText } = last;
  return [
    heading(`answer to attempt ${n}, ${clock.full(at)}`),
    ...wrapped(answerOf(last), width),
    [],
    heading("its body, as far as it was kept"),
    ...(responseText === null || responseText === ""
      ? [[span(" nothing", { dim: true })]]
      : responseText
          .split("\n")
          .flatMap((line) => wrapped(sanitize(line.replace(/\r$/, ""), SHOWN_BYTES), width))),
  ];
}

function attempts({ attempts }: DeliveryDetail, clock: TimeFormat, width: number): StyledLine[] {
  if (attempts.length === 0) return [[span(" Nothing was sent yet.", { dim: true })]];
  return attempts.toReversed().map((attempt): StyledLine => {
    const { n, at, error } = attempt;
    const { glyph, word, colour } = error === null ? STATE_MARKS.DELIVERED : STATE_MARKS.RETRYING;
    const lead = ` ${String(n).padStart(3)}  ${clock.full(at)}  `;
    return [
      span(lead),
      span(fit(`${glyph} ${word}`, 12), { colour }),
      span(fit(answerOf(attempt), Math.max(0, width - lead.length - 12))),
    ];
  });
}

/** `500 · 812ms`, `timed out: no answer within 10 s · 10s` */
function answerOf({ statusCode, error, outcome, durationMs }: AttemptRow): string {
  const what = statusCode === null ? sanitize(error ?? outcome) : String(statusCode);
  return `${what} ${GLYPHS.dot} ${formatDuration(durationMs)}`;
}

const heading = (text: string): StyledLine => [span(` ${text}`, { bold: true, colour: "cyan" })];

const wrapped = (text: string, width: number): StyledLine[] =>
  wrap(text, width - 2).map((line) => [span(` ${line}`)]);
