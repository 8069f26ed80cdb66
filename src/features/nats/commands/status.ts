import { countsText, type ReadStatusPart } from "../../../cli/commands/status.ts";
import { countDestinations } from "../state.ts";

const readStatus: ReadStatusPart = (rt) => {
  const destinations = countDestinations(rt);
  const { untried, ...triedCounts } = destinations;
  const state = countsText({ ...triedCounts, "to which nothing was published yet": untried });
  const isUsed = Object.values(destinations).some((count) => count > 0);
  return { rows: isUsed ? [{ about: "destinations", state }] : [], fields: { destinations } };
};

export const status: readonly ReadStatusPart[] = [readStatus];
