import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { countOf } from "../../../domain/text.ts";
import { createDeskStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  const desks = rt.openStore(createDeskStore).count(rt.now());
  const state = `${countOf(desks.desks, "desk")}, ${countOf(desks.devices, "paired device")}`;
  const isUsed = desks.desks > 0;
  return {
    rows: isUsed ? [{ about: "desks", state }] : [],
    fields: { desks },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
