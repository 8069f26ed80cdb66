import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../src/http/server.ts";
import { patient } from "../../support/patience.ts";
import { createTestApi } from "../support/api.ts";

test(
  "a complete request is answered after a standstill of the process, and an incomplete one gets 408",
  async () => {
    const api = createTestApi();
    const runtime = { ...api, monotonic: () => performance.now() };
    const server = await startServer(runtime, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const begin = async () => {
      const socket = connect(server.port, "127.0.0.1").on("error", () => {});
      onTestFinished(() => void socket.destroy());
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n");
      return socket;
    };
    const [arriving, late] = [await begin(), await begin()];
    const statusOf = async (socket: Socket) => {
      const [data] = (await once(socket, "data")) as [Buffer];
      return Number(data.toString().split(" ", 2)[1]);
    };
    const statuses = Promise.all([statusOf(arriving), statusOf(late)]);
    // This response shows that the server has read what both connections have sent.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    arriving.write("\r\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6500);
    expect(await statuses).toEqual([200, 408]);
  },
  patient(30_000),
);
