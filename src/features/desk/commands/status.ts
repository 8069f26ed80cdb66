import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { countOf } from "../../../domain/text.ts";
import { createDeskStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  const counts = rt.openStore(createDeskStore).count(rt.now());
  const state = `${countOf(counts.desks, "desk")}, ${countOf(counts.devices, "paired device")}`;
  const isUsed = counts.desks > 0;
  return {
    rows: isUsed ? [{ about: "desks", state }] : [],
    fields: { desks: counts },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
