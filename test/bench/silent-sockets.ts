import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { workerData } from "node:worker_threads";

// This thread of `silent-attack.ts` opens connections from one IPv6 /48 and neither reads from them
// nor closes them. The last `halfOpen` connections finish their TLS handshake.

type Attack = { port: number; host: string; silent: number; halfOpen: number };
const { port, host, silent, halfOpen } = workerData as Attack;

for (let i = 0; i < silent + halfOpen; i++) {
  const localAddress = `2001:db8:bad:${(i % 1000).toString(16)}::1`;
  const socket = connect({ port, host, localAddress, allowHalfOpen: true }).on("error", () => {});
  if (i >= silent) connectTls({ socket, rejectUnauthorized: false }).on("error", () => {});
}
