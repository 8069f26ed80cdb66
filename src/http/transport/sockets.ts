import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Node stores the response in progress here, and checks it when clientError has no listener. */
export type RespondingSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Returns the address and port of a client, which a TLS socket shares with the one that it wraps. */
export const peerOf = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort}`;
