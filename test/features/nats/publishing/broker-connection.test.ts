import { expect, test } from "vitest";
import { BrokerConnection } from "../../../../src/features/nats/publishing/broker-connection.ts";
import { DestinationHealth } from "../../../../src/features/nats/publishing/destination-health.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { addDestination, createFakeStream } from "../destinations.ts";

/** Returns a connection to a server that closes new connections at once if `isClosing`. */
function createConnection(isClosing: boolean) {
  const rt = createTestRuntime();
  const { destination } = addDestination(rt);
  const stream = createFakeStream();
  const health = new DestinationHealth(rt, destination.name);
  const connect = async () => {
    const broker = await stream.connect();
    stream.isClosed = isClosing;
    return broker;
  };
  return { rt, stream, health, connection: new BrokerConnection(rt, destination, connect, health) };
}

test("a new connection that the NATS server closes at once counts as a failure, and the next attempt waits", async () => {
  const { rt, health, connection } = createConnection(true);
  expect(await connection.open()).toBeUndefined();
  expect(health.lastError).toBe("the server closed the connection");
  expect(health.mayTry(rt.monotonic())).toBe(false);
});

test("a connection that the server closes later does not count as a failure, and the next attempt opens a new one", async () => {
  const { rt, stream, health, connection } = createConnection(false);
  expect(await connection.open()).toBeDefined();
  stream.isClosed = true;
  expect(await connection.open()).toBeUndefined();
  expect([health.lastError, health.mayTry(rt.monotonic())]).toEqual([null, true]);
  expect(await connection.open()).toBeDefined();
  expect(stream.connections).toBe(2);
});
