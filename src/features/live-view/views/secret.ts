import { quote } from "../../../domain/text.ts";
import { type StyledLine, sanitize, span, wrap, wrapWords } from "./cells.ts";
import type { TimeFormat } from "../state/time-format.ts";
import type { Screen } from "../state/ui-state.ts";

/** Draws the secret without a border, so that a double click selects it alone. */
export function renderSecret(
  { endpoint, secret, oldEndsAt }: Screen & { kind: "secret" },
  timeFormat: TimeFormat,
  width: number,
): StyledLine[] {
  const say = (text: string): StyledLine[] =>
    wrapWords(sanitize(text), width - 2).map((line) => [span(` ${line}`)]);
  return [
    [],
    ...say(`The new signing secret of ${quote(endpoint.name)}, shown only here:`),
    [],
    ...wrap(secret, width).map((line): StyledLine => [span(line, { bold: true })]),
    [],
    ...say(
      `Give it to the receiver. Until ${timeFormat.full(oldEndsAt)}, deliveries are signed with the old secret too. To end that as soon as the receiver uses the new one:`,
    ),
    ...wrap(`deskbell webhooks rotate-secret ${endpoint.id} --finish`, width).map(
      (line): StyledLine => [span(line)],
    ),
  ];
}
