import { continueBacklogMoves } from "../../../app/webhooks/backlog-moves.ts";
import {
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  parseRecover,
} from "../../../app/webhooks/endpoint-lifecycle.ts";
import { rotateEndpointSecret } from "../../../app/webhooks/endpoint-secrets.ts";
import { recordAcceptedTest, testEndpoint } from "../../../app/webhooks/test-endpoint.ts";
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

/** @param choice which parked deliveries are sent: all, none, or those created since a time */
export async function enable(
  { rt }: EffectDeps,
  { signal, notify }: EffectContext,
  { id, name }: EndpointName,
  choice: string,
): Promise<void> {
  const { recover, since } = parseRecover(rt, getEndpoint(rt, id), choice);
  // A daemon parks a large backlog in the background, but perhaps no daemon is running. The rest is
  // parked here, because only parked deliveries can be sent or cancelled.
  await continueBacklogMoves(rt, signal);
  if (signal.aborted) return;
  const { recovered, cancelled } = enableEndpoint(rt, id, recover);
  notify(
    `Enabled ${quote(name)}. Parked deliveries to send${since === null ? "" : `, of events since ${since}`}: ${recovered}; cancelled: ${cancelled}.`,
    "good",
  );
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
