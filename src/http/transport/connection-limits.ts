import type { ServerResponse } from "node:http";
import type { Socket, Server } from "node:net";
import { addressGroup, addressNetwork, isLoopback, unmapIpv4 } from "../auth/client-address.ts";
import { TLSSocket } from "node:tls";
import { createRangeCheck } from "../../domain/addresses.ts";

/**
 * A socket of the HTTP server. Node stores the response in progress in the undocumented field
 * `_httpMessage`. If `clientError` has no listener, Node itself sends the error, and reads this
 * field so that the error does not break the response. A listener has to do the same.
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

/** A number of open files that every current system allows. */
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

/**
 * A network is an IPv4 address or an IPv6 /48. `open` maps each open connection, oldest first, to
 * the name of its client, which is an IPv4 address or an IPv6 /64.
 */
type Network<Connection> = { name: string; open: Map<Connection, string> };

export type Admission<Connection> = {
  /** The connection to close: the new one, or one of the largest network. */
  refused?: Connection;
  /** Whether all clients together have more connections than the limit. */
  isFull?: true;
};

/**
 * Returns a table of the open connections of each client. A flood mostly adds and removes
 * connections, so adding and removing take the same time however many connections are open.
 * Choosing the connection to close looks at the connections of one network only.
 * @param isInUse whether a request is in progress: an idle connection is closed first
 */
export function createConnectionTable<Connection>(
  limits: ConnectionLimits,
  isInUse: (connection: Connection) => boolean = () => false,
) {
  const countByClient = new Map<string, number>();
  const networks = new Map<string, Network<Connection>>();
  /** The networks with `n` connections are at index `n`. */
  const bySize: Set<Network<Connection>>[] = [];
  /** The largest size for which `bySize` has a network. */
  let largest = 0;
  /** Number of connections that are never closed to make room. */
  let exempt = 0;
  let total = 0;

  /** Moves a network to the set of its present size. */
  const move = (network: Network<Connection>, sizeBefore: number): void => {
    const size = network.open.size;
    bySize[sizeBefore]?.delete(network);
    if (size === 0) networks.delete(network.name);
    else (bySize[size] ??= new Set()).add(network);
    largest = Math.max(largest, size);
    while (largest > 0 && !bySize[largest]?.size) largest -= 1;
  };
  const findLargest = (): Network<Connection> | undefined => bySize[largest]?.values().next().value;

  const findOldest = ({ open }: Network<Connection>): Connection =>
    open.keys().next().value as Connection;
  const findOldestIdle = ({ open }: Network<Connection>): Connection | undefined => {
    for (const connection of open.keys()) if (!isInUse(connection)) return connection;
    return undefined;
  };

  const removeFrom = (network: Network<Connection>, connection: Connection): void => {
    const client = network.open.get(connection);
    // A connection that was closed to make room is gone already.
    if (client === undefined) return;
    network.open.delete(connection);
    move(network, network.open.size + 1);
    total -= 1;
    const left = (countByClient.get(client) ?? 1) - 1;
    if (left === 0) countByClient.delete(client);
    else countByClient.set(client, left);
  };

  /** Removes and returns a connection of the largest network if there are too many connections. */
  const makeRoom = (): Admission<Connection> => {
    if (total <= limits.total) return {};
    const network = findLargest();
    // If there is no network, all connections are exempt.
    if (network === undefined) return { isFull: true };
    const refused = findOldestIdle(network) ?? findOldest(network);
    removeFrom(network, refused);
    return { refused, isFull: true };
  };

  return {
    add(connection: Connection, address: string): Admission<Connection> {
      const name = networkName(address);
      const network = networks.get(name) ?? { name, open: new Map() };
      const client = addressGroup(address);
      const count = (countByClient.get(client) ?? 0) + 1;
      if (count > limits.client || network.open.size >= limits.network)
        return { refused: connection };
      networks.set(name, network);
      countByClient.set(client, count);
      network.open.set(connection, client);
      move(network, network.open.size - 1);
      total += 1;
      return makeRoom();
    },
    remove(connection: Connection, address: string): void {
      const network = networks.get(networkName(address));
      if (network !== undefined) removeFrom(network, connection);
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
     * Returns the name of the largest network; null if the exempt clients together have more
     * connections.
     */
    largestNetwork: (): string | null => (exempt > largest ? null : (findLargest()?.name ?? null)),
  };
}

const networkName = (address: string): string => addressNetwork(address) ?? addressGroup(address);

const CHECK_MS = 1000;
/** A socket is disconnected if it has unread data at more successive checks than this. */
const BASE_CHECKS = 6;
/**
 * A socket gets one more check for each 100,000 bytes that its client has not read. Any usable
 * connection reads more per second.
 */
const BYTES_PER_CHECK = 100_000;

/**
 * Called when there were too many connections, with the network that had most; null for this
 * machine and trusted proxies.
 */
export type OnFull = (largestNetwork: string | null) => void;

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
    const isExemptPeer = isExempt(address);
    const { refused, isFull } = isExemptPeer ? table.addExempt() : table.add(socket, address);
    if (isFull) onFull(table.largestNetwork());
    // If the new connection itself is refused, it is not in the table.
    if (refused !== socket)
      socket.once("close", () =>
        isExemptPeer ? table.removeExempt() : table.remove(socket, address),
      );
    refused?.resetAndDestroy();
  });
}

/** Returns a function that tells whether a request of a connection is in progress. */
function createUseCheck(server: Server): (connection: Socket) => boolean {
  /**
   * Maps the address and port of each client to its TLS socket. HTTP uses the TLS socket, but the
   * limits know the socket below it.
   */
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
