import { suggestion, type LiveValues, MAX_NEWEST, perBusiness } from "../../../cli/live-values.ts";
import { createOrderStore } from "../store.ts";

const orders = perBusiness((rt, businessId) =>
  rt
    .openStore(createOrderStore)
    .list({ businessId }, MAX_NEWEST)
    .map(({ code, status }) => suggestion(code, status.toLowerCase())),
);

export const completion: readonly LiveValues[] = [
  ["<order>", orders],
  ["--order", orders],
];
