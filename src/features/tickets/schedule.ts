import type { StartWork } from "../../delivery/scheduler.ts";
import { expireTicketOrders } from "./take-tickets.ts";

const startExpiry: StartWork = (rt) => ({ everySecond: [() => expireTicketOrders(rt)] });

export const schedule: readonly StartWork[] = [startExpiry];
