import { hash } from "node:crypto";
import type { Runtime } from "../../../app/runtime.ts";
import { AppError } from "../../../domain/errors.ts";
import { type DeskForm, type Done, findAction } from "./actions.ts";
import { allows, type DeskSession, runAsDesk } from "../desks.ts";
import { findCodes, keepCodes } from "./recent-codes.ts";
import { refusalOf } from "./refusals.ts";
import type { DeskOutcome, DeskRefusal } from "../rules.ts";
import { createDeskStore } from "../store.ts";

/**
 * Returns the hash that identifies a form. The forms of a page have a field `key` that differs from
 * page to page, so two equal forms are one action that a browser sent twice.
 */
export const tokenOf = (form: DeskForm): string =>
  hash("sha256", JSON.stringify(Object.entries(form).toSorted(([a], [b]) => (a < b ? -1 : 1))));

/**
 * Runs the action of a form once: a form that is sent again gets the stored outcome. An action that
 * failed has changed nothing, so it is run again.
 */
export function act(
  rt: Runtime,
  session: DeskSession,
  form: DeskForm,
  address: string | null,
): DeskOutcome & { codes?: string[] } {
  const store = rt.openStore(createDeskStore);
  const token = tokenOf(form);
  const actionId = `${session.device.id} ${token}`;
  try {
    const outcome = runAsDesk(rt, session.desk, address, () =>
      rt.tx(() => {
        const stored = store.findOutcome(session.device.id, token);
        if (stored?.ok) return { ...stored, codes: findCodes(rt, actionId) ?? [] };
        // Admission codes are kept in memory only, so the stored outcome lacks them.
        const { codes = [], ...done } = runAction(rt, session, form);
        store.saveOutcome(session.device.id, token, rt.now(), done);
        return { ...done, codes };
      }),
    );
    if (outcome.codes.length > 0) keepCodes(rt, actionId, outcome.codes);
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const refusal = findAction(form)?.explain?.(rt, session, form, error) ?? explainByCode(error);
    const outcome: DeskOutcome = { ok: false, message: error.message, ...(refusal && { refusal }) };
    // The failure is stored, too, because a browser without scripts is redirected to a page that
    // shows the stored outcome.
    rt.tx(() => store.saveOutcome(session.device.id, token, rt.now(), outcome));
    return outcome;
  }
}

function explainByCode(error: AppError): DeskRefusal | undefined {
  const code = refusalOf(error);
  return code && { code, at: null };
}

function runAction(rt: Runtime, session: DeskSession, form: DeskForm): Done {
  const action = findAction(form);
  if (action === undefined) throw new AppError("validation_failed", "There is no such action.");
  const { right, isOfBusiness = false, run } = action;
  if (!allows(session, right) || (isOfBusiness && session.desk.staffId !== null))
    throw new AppError("insufficient_scope", "This desk may not do this.");
  return run(rt, session, form);
}
