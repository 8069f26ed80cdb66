import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { limitConnections } from "../../../src/http/transport/connection-limits.ts";

test("a connection over the limit is closed, until another of the same client ends", async () => {
  const server = createServer();
  limitConnections(server, [], () => 3);
  server.on(
    "connection",
    (socket) => void (socket.destroyed || socket.on("error", () => {}).write("hello")),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on(
      "error",
      () => {},
    );
    onTestFinished(() => void socket.destroy());
    const event = await Promise.race([
      once(socket, "data").then(() => "served"),
      once(socket, "close").then(() => "refused"),
    ]);
    return { socket, event };
  };
  const first = await open();
  expect([first.event, (await open()).event, (await open()).event]).toEqual([
    "served",
    "served",
    "served",
  ]);
  expect((await open()).event).toBe("refused");
  first.socket.destroy();
  await once(first.socket, "close");
  // The server notices the closed connection a little later.
  let again = await open();
  for (let i = 0; i < 50 && again.event === "refused"; i++) again = await open();
  expect(again.event).toBe("served");
});
