import { continueBacklogMoves } from "../../../app/webhooks/backlog-moves.ts";
import {
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  type Recover,
} from "../../../app/webhooks/endpoint-lifecycle.ts";
import { rotateEndpointSecret } from "../../../app/webhooks/endpoint-secrets.ts";
import { recordAcceptedTest, testEndpoint } from "../../../app/webhooks/test-endpoint.ts";
import { AppError } from "../../../domain/errors.ts";
import { parsePastTime } from "../../../domain/local-time.ts";
import { countOf, quote } from "../../../domain/text.ts";
import type { EffectContext, EffectDeps } from "./effect-context.ts";
import { pushScreen } from "../state/screens.ts";
import type { EndpointName } from "../state/ui-state.ts";

export async function sendTest(
  { rt, sendOnce }: EffectDeps,
  { signal, notify }: EffectContext,
  { id }: EndpointName,
): Promise<void> {
  notify(`testing ${id} …`, "plain");
  const result = await testEndpoint(rt, id, sendOnce, { signal });
  if (signal.aborted) return;
  const { ok, statusCode, error, durationMs, address } = result;
  if (ok) recordAcceptedTest(rt, getEndpoint(rt, id));
  if (ok) notify(`✓ test event: ${statusCode} in ${durationMs} ms from ${address ?? "?"}`, "good");
  else notify(`✗ test event failed after ${durationMs} ms: ${error}`, "bad");
}

/** @param recover which parked deliveries are sent: all, none, or those created since a time */
export async function enable(
  deps: EffectDeps,
  { signal, notify }: EffectContext,
  { id, name }: EndpointName,
  recover: string,
): Promise<void> {
  const { rt } = deps;
  const recoverFrom = parseRecover(deps, recover);
  // A daemon parks a large backlog in the background, but perhaps no daemon is running. The rest is
  // parked here, because only parked deliveries can be sent or cancelled.
  await continueBacklogMoves(rt, signal);
  if (signal.aborted) return;
  const { recovered, cancelled } = enableEndpoint(rt, id, recoverFrom);
  notify(
    `Enabled ${quote(name)}. Parked deliveries to send: ${recovered}; cancelled: ${cancelled}.`,
    "good",
  );
}

function parseRecover({ rt, settings }: EffectDeps, text: string): Recover {
  if (text === "all" || text === "none") return text;
  const at = parsePastTime(text, settings.timeFormat.timeZone, rt.now());
  if (!Number.isNaN(at)) return at;
  throw new AppError("usage", `Invalid choice '${text}'; nothing was changed.`, {
    fix: "type all, none, or a time such as 08:30 or 2h",
  });
}

export function disable(
  { rt }: EffectDeps,
  { notify }: EffectContext,
  { id, name }: EndpointName,
): void {
  // The daemon parks the rest of a large backlog in the background.
  const { parked } = disableEndpoint(rt, id, "manual");
  notify(`Disabled ${quote(name)}. Parked: ${countOf(parked, "delivery")}.`, "good");
}

/** Shows the new secret on a screen of its own, which closes only after a confirmation. */
export function rotateSecret(
  { rt }: EffectDeps,
  { update }: EffectContext,
  endpoint: EndpointName,
): void {
  const { secret, oldEndsAt } = rotateEndpointSecret(rt, endpoint.id);
  update((ui) => pushScreen(ui, { kind: "secret", endpoint, secret, oldEndsAt }));
}
