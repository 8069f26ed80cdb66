import { join } from "node:path";
import type { Figure } from "./figure.ts";
import { assertTools, BenchProcesses, BOTH_CORES } from "./processes.ts";

const ATTACK = join(import.meta.dirname, "silent-attack.ts");
const OPEN_FILES = 20_000;

/** The figures that `silent-attack.ts` prints. */
export type SilentAttack = {
  others: string;
  worst: number;
  handles: { atRest: number; most: number; goneAfterMs: number };
  proxy: { served: number; refused: number; cut: number };
};

/**
 * Measures response times of a client while others open connections and neither send, read nor
 * close. Loopback addresses have no limits, so the attack runs in a network of its own, in which
 * this machine has all addresses of 2001:db8::/32.
 */
export async function benchSilentClients(): Promise<Figure[]> {
  assertTools("taskset", "unshare", "ip", "openssl");
  await using processes = new BenchProcesses();
  const network =
    "ip link set lo up && ip -6 route add local 2001:db8::/32 dev lo && echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind";
  const script = `${network} && ulimit -n ${OPEN_FILES} && exec "$0" "$@"`;
  const command = ["unshare", "-rn", "sh", "-c", script, process.execPath, ATTACK, processes.dir];
  const measured = await processes.start(command, /^measured (.*)$/m, BOTH_CORES);
  const { others, worst, handles, proxy } = JSON.parse(measured) as SilentAttack;
  return [
    {
      id: "silent",
      description:
        "1,500 silent connections of one /48 and 60 half-open TLS sockets, every 10 s for 60 s, with a limit of 1,024 open files: another client, which connects for each GET",
      ours: `${others}; longest ${worst.toFixed(0)} ms; open sockets ${handles.atRest} at rest, at most ${handles.most}, as at rest ${(handles.goneAfterMs / 1000).toFixed(1)} s after the last connection`,
      peer: null,
      ratio: null,
      goal: "p99 <= 250 ms, no error; 15 s",
    },
    {
      id: "silent",
      description:
        "1,000 connections of a trusted proxy meanwhile, with a limit of 4,096 open files",
      ours: `${proxy.served} served, ${proxy.refused} refused, ${proxy.cut} cut`,
      peer: null,
      ratio: null,
      goal: "1,000 served, 0 cut",
    },
  ];
}
