import type { StartWork } from "../../delivery/scheduler.ts";
import { expireTicketOrders } from "./orders/take-tickets.ts";

const startExpiry: StartWork = (rt) => ({ everySecond: [() => expireTicketOrders(rt)] });

export const schedule: readonly StartWork[] = [startExpiry];
