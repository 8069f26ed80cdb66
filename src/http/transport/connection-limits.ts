import type { ServerResponse } from "node:http";
import type { Socket, Server } from "node:net";
import { addressGroup, addressNetwork, isLoopback, unmapIpv4 } from "../auth/client-address.ts";
import { TLSSocket } from "node:tls";
import { createRangeCheck } from "../../domain/addresses.ts";

/**
 * A socket of the HTTP server. Node stores the response in progress in `_httpMessage`, and checks
 * it when `clientError` has no listener.
 */
export type RespondingSocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Returns the address and port of a client. A TLS socket shares both with the socket that it wraps.
 */
export const peerOf = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort}`;

/** Numbers of connections that may be open at a time. */
export type ConnectionLimits = {
  /** Connections of one IPv4 address or IPv6 /64. */
  client: number;
  /** Connections of one IPv6 /48. */
  network: number;
  /** Connections of all clients together. */
  total: number;
};

/** A limit of open files that every current system has. */
const USUAL_DESCRIPTORS = 8192;

/**
 * Returns limits that leave half of the descriptors to webhooks in flight and files. One client
 * gets at most a quarter of the connections, and one network half of them.
 * @param descriptors the limit of open files; null if it is unknown
 */
export function connectionLimits(descriptors: number | null): ConnectionLimits {
  const total = Math.floor((descriptors ?? USUAL_DESCRIPTORS) / 2);
  return {
    client: Math.min(256, Math.ceil(total / 4)),
    network: Math.min(1024, Math.ceil(total / 2)),
    total,
  };
}

/** An IPv4 address or IPv6 /48. `open` maps its connections, oldest first, to their clients. */
type Owner<Connection> = { name: string; open: Map<Connection, string> };

export type Admission<Connection> = {
  /** The connection to close: the new one, or one of the largest client. */
  refused?: Connection;
  /** Whether all clients together have more connections than the limit. */
  isFull?: true;
};

/**
 * Returns a table of the open connections of each client. Adding or removing one takes the same
 * time however many are open, because a flood does little else. Choosing the one to close looks at
 * one client's connections.
 * @param isInUse whether a request is in progress: an idle connection is closed first
 */
export function createConnectionTable<Connection>(
  limits: ConnectionLimits,
  isInUse: (connection: Connection) => boolean = () => false,
) {
  const clients = new Map<string, number>();
  const owners = new Map<string, Owner<Connection>>();
  /** The owners with `n` connections are at index `n`. */
  const bySize: Set<Owner<Connection>>[] = [];
  let largest = 0;
  /** Number of connections that are never closed to make room. */
  let exempt = 0;
  let total = 0;

  /** Moves an owner to the set of its present size. */
  const move = (owner: Owner<Connection>, sizeBefore: number): void => {
    const size = owner.open.size;
    bySize[sizeBefore]?.delete(owner);
    if (size === 0) owners.delete(owner.name);
    else (bySize[size] ??= new Set()).add(owner);
    largest = Math.max(largest, size);
    while (largest > 0 && !bySize[largest]?.size) largest -= 1;
  };
  const findLargest = (): Owner<Connection> | undefined => bySize[largest]?.values().next().value;

  const findOldest = ({ open }: Owner<Connection>): Connection =>
    open.keys().next().value as Connection;
  const findOldestIdle = ({ open }: Owner<Connection>): Connection | undefined => {
    for (const connection of open.keys()) if (!isInUse(connection)) return connection;
    return undefined;
  };

  const removeFrom = (owner: Owner<Connection>, connection: Connection): void => {
    const client = owner.open.get(connection);
    // A connection that was closed to make room is gone already.
    if (client === undefined) return;
    owner.open.delete(connection);
    move(owner, owner.open.size + 1);
    total -= 1;
    const left = (clients.get(client) ?? 1) - 1;
    if (left === 0) clients.delete(client);
    else clients.set(client, left);
  };

  /** Removes and returns a connection of the largest client if there are too many. */
  const makeRoom = (): Admission<Connection> => {
    if (total <= limits.total) return {};
    const owner = findLargest();
    if (owner === undefined) return { isFull: true };
    const refused = findOldestIdle(owner) ?? findOldest(owner);
    removeFrom(owner, refused);
    return { refused, isFull: true };
  };

  return {
    add(connection: Connection, address: string): Admission<Connection> {
      const name = ownerName(address);
      const owner = owners.get(name) ?? { name, open: new Map() };
      const client = addressGroup(address);
      const count = (clients.get(client) ?? 0) + 1;
      if (count > limits.client || owner.open.size >= limits.network)
        return { refused: connection };
      owners.set(name, owner);
      clients.set(client, count);
      owner.open.set(connection, client);
      move(owner, owner.open.size - 1);
      total += 1;
      return makeRoom();
    },
    remove(connection: Connection, address: string): void {
      const owner = owners.get(ownerName(address));
      if (owner !== undefined) removeFrom(owner, connection);
    },
    /** Adds a connection that is never closed to make room. */
    addExempt(): Admission<Connection> {
      exempt += 1;
      total += 1;
      return makeRoom();
    },
    removeExempt(): void {
      exempt -= 1;
      total -= 1;
    },
    /**
     * Returns the name of the largest client; null if the exempt clients together have more
     * connections.
     */
    largestClient: (): string | null => (exempt > largest ? null : (findLargest()?.name ?? null)),
  };
}

const ownerName = (address: string): string => addressNetwork(address) ?? addressGroup(address);

const CHECK_MS = 1000;
/** Number of checks at which a socket may have unread data. */
const BASE_CHECKS = 6;
/**
 * Bytes of unread data for which a socket gets one more check. Any usable connection reads more per
 * second.
 */
const BYTES_PER_CHECK = 100_000;

/**
 * Called when there were too many connections, with the client that had most; null for this machine
 * and trusted proxies.
 */
export type OnFull = (largestClient: string | null) => void;

/**
 * Keeps a few clients from using up all connections. This machine and trusted proxies are exempt,
 * because proxies forward the connections of many clients.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  isExempt: (address: string) => boolean,
  onFull: OnFull = () => {},
): void {
  const table = createConnectionTable<Socket>(limits, createUseCheck(server));
  server.on("connection", (socket: Socket) => {
    const address = unmapIpv4(socket.remoteAddress ?? "");
    const isSpared = isExempt(address);
    const { refused, isFull } = isSpared ? table.addExempt() : table.add(socket, address);
    if (isFull) onFull(table.largestClient());
    if (refused !== socket)
      socket.once("close", () => (isSpared ? table.removeExempt() : table.remove(socket, address)));
    refused?.resetAndDestroy();
  });
}

/** Returns a function that tells whether a request of a connection is in progress. */
function createUseCheck(server: Server): (connection: Socket) => boolean {
  /** HTTP uses the TLS socket, but the limits know the socket below it. */
  const secured = new Map<string, RespondingSocket>();
  server.on("secureConnection", (socket: RespondingSocket) => {
    const peer = peerOf(socket);
    secured.set(peer, socket);
    socket.once("close", () => secured.delete(peer));
  });
  return (connection) => {
    const socket: RespondingSocket = secured.get(peerOf(connection)) ?? connection;
    return Boolean(socket["_httpMessage"]);
  };
}

export function isExemptFromLimits(
  trustedProxies: readonly string[],
): (address: string) => boolean {
  const isTrusted = createRangeCheck(trustedProxies);
  return (address) => isLoopback(address) || isTrusted(address);
}

/** Disconnects clients that do not read their responses, because unread data stays in memory. */
export function disconnectSlowReaders(server: Server): void {
  const open = new Set<Socket>();
  const checksLeft = new WeakMap<Socket, number>();
  server.on("setSecureContext" in server ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  const check = (socket: Socket): void => {
    const unread = socket.writableLength;
    if (unread === 0) return void checksLeft.delete(socket);
    const left = (checksLeft.get(socket) ?? BASE_CHECKS + unread / BYTES_PER_CHECK) - 1;
    if (left < 0) disconnect(socket);
    else checksLeft.set(socket, left);
  };
  const timer = setInterval(() => open.forEach(check), CHECK_MS).unref();
  server.once("close", () => clearInterval(timer));
}

/**
 * Resets a connection, because the kernel would keep the unread data after a normal close. Node
 * cannot reset a TLS connection, which is therefore closed.
 */
const disconnect = (socket: Socket): unknown =>
  socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy();

/** Time for the client to read the last response. */
const LINGER_MS = 1000;

/** Sends the last bytes of a connection, and closes it even if the client does not. */
export function endConnection(socket: Socket, text: string): void {
  socket.end(text);
  const timer = setTimeout(() => disconnect(socket), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
