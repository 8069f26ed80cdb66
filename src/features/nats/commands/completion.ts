import { suggestion, type LiveValues } from "../../../cli/live-values.ts";
import { createDestinationStore } from "../store.ts";

export const completion: readonly LiveValues[] = [
  [
    "<destination>",
    (rt) =>
      rt
        .openStore(createDestinationStore)
        .list()
        .map(({ name, url }) => suggestion(name, url)),
  ],
];
