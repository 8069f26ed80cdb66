import type { Db } from "../../store/database/db.ts";
import { parseJson } from "../../store/database/storage-error.ts";

/**
 * What a row of the state contains:
 *
 * - `cause`: a cause of alerts;
 * - `unsent`: an alert that a channel has not accepted;
 * - `channel`: since when a channel has failed, and why;
 * - `known`: a channel that is not new, and need not get the alerts that are already firing;
 * - `notice`: a notice to be sent;
 * - `test`: a request of `alerts test` or `alerts send`;
 * - `heartbeat`: the time of the last heartbeat.
 */
export type AlertStateKind =
  | "cause"
  | "unsent"
  | "channel"
  | "known"
  | "notice"
  | "test"
  | "heartbeat";

/** The stored state of alerts, as JSON. */
export function createAlertStore(db: Db) {
  const select = db.prepare("SELECT key, value FROM alert_state WHERE kind = ? ORDER BY key");
  const upsert = db.prepare(
    "INSERT OR REPLACE INTO alert_state (kind, key, value) VALUES (?, ?, ?)",
  );
  const remove = db.prepare("DELETE FROM alert_state WHERE kind = ? AND key = ?");

  const removeNotice = db.prepare(
    "DELETE FROM alert_state WHERE kind = 'notice' AND key = ? AND value = ?",
  );

  return {
    list: <Value>(kind: AlertStateKind): { key: string; value: Value }[] =>
      (select.all(kind) as { key: string; value: string }[]).map(({ key, value }) => ({
        key,
        value: parseJson(value, "alert_state.value") as Value,
      })),
    put: (kind: AlertStateKind, key: string, value: unknown): void =>
      void upsert.run(kind, key, JSON.stringify(value)),
    delete: (kind: AlertStateKind, key: string): void => void remove.run(kind, key),
    /** Deletes a notice, unless another one has replaced it since it was read. */
    deleteNotice: ({ key, value }: { key: string; value: unknown }): void =>
      void removeNotice.run(key, JSON.stringify(value)),
  };
}
