import { type LiveValues, suggestion } from "../../../cli/live-values.ts";
import { SCOPES } from "../../../domain/api-key.ts";
import { createPartnerStore } from "../store.ts";

export const completion: readonly LiveValues[] = [
  [
    "<partner>",
    (rt) =>
      rt
        .openStore(createPartnerStore)
        .list()
        .map(({ id, name }) => suggestion(name, id)),
  ],
  ["partners --scope", () => SCOPES.map((scope) => suggestion(scope))],
];
