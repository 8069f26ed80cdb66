import { type AlertStateKind, createAlertStore } from "./store.ts";
import type { Runtime } from "../../app/runtime.ts";

/** A row of the stored state of alerts. */
export type Row = { kind: AlertStateKind; key: string; value: unknown };

/** Keeps the stored rows of some kinds equal to a list in memory, and writes only changed rows. */
export function createSavedRows(rt: Runtime, kinds: readonly AlertStateKind[]) {
  const stored = rt.openStore(createAlertStore);
  const toEntry = (row: Row) =>
    [`${row.kind} ${row.key}`, { ...row, json: JSON.stringify(row.value) }] as const;
  let saved = new Map(
    kinds.flatMap((kind) =>
      stored.list(kind).map(({ key, value }) => toEntry({ kind, key, value })),
    ),
  );
  return {
    /** @throws if the storage cannot be written now */
    save(rows: readonly Row[]): void {
      const wanted = new Map(rows.map(toEntry));
      const changed = [...wanted].filter(([id, { json }]) => saved.get(id)?.json !== json);
      const removed = [...saved].filter(([id]) => !wanted.has(id));
      if (changed.length === 0 && removed.length === 0) return;
      rt.tx(() => {
        for (const [, { kind, key, value }] of changed) stored.put(kind, key, value);
        for (const [, { kind, key }] of removed) stored.delete(kind, key);
      });
      saved = wanted;
    },
  };
}
