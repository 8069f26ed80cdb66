import { readVersion } from "../assets.ts";
import { CORRUPT, type Outcome, settle, type Settlement } from "../domain/settle.ts";
import { sign } from "../domain/signature.ts";
import type { Runtime } from "../runtime.ts";
import type { AttemptRow, DueRow } from "../store/deliveries.ts";
import type { DestinationRow } from "../store/endpoints.ts";
import { createBodyShelf } from "./body-shelf.ts";
import { createKeyring } from "./keyring.ts";
import type { Send } from "./send.ts";

/** A delivery that was taken up. */
export type Claim = { due: DueRow; destination: DestinationRow };

/** What came of it, to be written. */
export type Result = Claim & {
  settlement: Settlement;
  /** null: nothing was sent. */
  attempt: AttemptRow | null;
};

/** Makes one attempt at a delivery. Never throws: whatever goes wrong belongs to this delivery alone. */
export function createAttempter(rt: Runtime, send: Send): (claim: Claim) => Promise<Result> {
  const bodyOf = createBodyShelf(rt);
  const keysOf = createKeyring(rt);
  const userAgent = `deskbell/${readVersion()} (+https://deskbell.dev)`;
  const random = () => rt.random(4).readUInt32BE() / 2 ** 32;

  async function post({ due, destination }: Claim, body: Buffer, at: number): Promise<Outcome> {
    const { url, allowPrivate: trusted } = destination;
    try {
      const headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": userAgent,
        "X-Service-Event": due.eventType,
        "X-Service-Delivery": due.id,
        "X-Service-Attempt": String(due.attemptCount + 1),
        "X-Service-Sequence": String(due.sequence),
        ...sign(keysOf(destination.id), due.eventId, Math.floor(at / 1000), body),
      };
      return await send({ url, trusted, headers, body });
    } catch (error) {
      rt.log("error", "A delivery could not be sent.", { delivery: due.id, error: (error as Error).stack });
      return { kind: "refused", error: "deskbell failed before it could send; its log says more" };
    }
  }

  return async (claim) => {
    const { due } = claim;
    const body = bodyOf(due.eventId);
    if (body === undefined) return { ...claim, settlement: CORRUPT, attempt: null };

    const at = rt.now();
    const started = rt.monotonic();
    const outcome = await post(claim, body, at);
    const n = due.attemptCount + 1;
    const settlement = settle(n, outcome, rt.now(), random);
    const isAnswer = outcome.kind === "responded";
    const attempt: AttemptRow = {
      n,
      at,
      durationMs: Math.round(rt.monotonic() - started),
      outcome: outcome.kind,
      statusCode: isAnswer ? outcome.statusCode : null,
      error: settlement.error,
      responseText: isAnswer && outcome.responseText !== "" ? outcome.responseText : null,
    };
    return { ...claim, settlement, attempt };
  };
}
