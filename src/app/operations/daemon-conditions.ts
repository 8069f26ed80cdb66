import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { RAISE_OPEN_FILE_LIMIT } from "../../platform/open-file-limit.ts";
import type { DaemonRow } from "../../store/daemon-rows.ts";

export const checkDaemonRunning = (isRunning: boolean): HealthCondition[] =>
  isRunning ? [] : [openCondition("daemon.stopped", "the daemon is not running", "deskbell serve")];

/** @param address the address that all clients of the daemon share */
export const checkSharedAddress = (address: string | null | undefined): HealthCondition[] =>
  address
    ? [
        openCondition(
          "proxy.one_address",
          `all clients share the address ${address}, and with it one rate limit: a proxy hides their own. It must send X-Forwarded-For, and deskbell must trust it (serve --trusted-proxy ${address})`,
          "deskbell guide behind-a-proxy",
        ),
      ]
    : [];

/** @param path the path that was requested without the metrics token */
export const checkRefusedMetrics = (path: string | null | undefined): HealthCondition[] =>
  path
    ? [
        openCondition(
          "metrics.refused",
          `a program on this machine asked for ${path} without the metrics token and was refused. If it is your monitoring, give it the token. If you know no such program, a proxy on this machine forwards requests of strangers: block /metrics in the proxy`,
          "deskbell metrics token",
        ),
      ]
    : [];

/** Reports that clients had as many connections as the limit of open files allows. */
export function checkConnections(running: DaemonRow | undefined): HealthCondition[] {
  const client = running?.connectionsFull;
  if (client === null || client === undefined) return [];
  const owner = client === "" ? "this machine and trusted proxies" : client;
  return [
    openCondition(
      "connections.full",
      `within the last 10 minutes, clients had as many connections as the daemon may open with its limit of ${running?.openFiles ?? "some"} open files, most of them ${owner}: the largest clients lost connections, idle ones first`,
      client === ""
        ? RAISE_OPEN_FILE_LIMIT
        : `block ${client} in the firewall; if it is a proxy of yours: deskbell serve --trusted-proxy ${client}`,
    ),
  ];
}
