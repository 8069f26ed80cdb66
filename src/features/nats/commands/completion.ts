import { candidate, type LiveValues } from "../../../cli/live-values.ts";
import { createDestinationStore } from "../store.ts";

export const completion: readonly LiveValues[] = [
  [
    "<destination>",
    (rt) =>
      rt
        .openStore(createDestinationStore)
        .list()
        .map(({ name, url }) => candidate(name, url)),
  ],
];
