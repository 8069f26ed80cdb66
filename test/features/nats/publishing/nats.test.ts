import { describe, expect, test } from "vitest";
import type { Message } from "../../../../src/features/nats/publishing/broker.ts";
import { connectToStream } from "../../../../src/features/nats/publishing/nats.ts";
import { testDestination } from "../../../../src/features/nats/test-destination.ts";
import { addBusiness } from "../../../support/delivery.ts";
import { addDestination } from "../destinations.ts";
import { addStream, createNatsServer, hasNatsServer, manageStreams } from "../nats-server.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const CONFIG = `max_payload: 4096
authorization {
  users = [
    { user: admin, password: admin }
    { user: deskbell, password: secret, permissions: {
      publish: ["deskbell.>", "full.>", "other.>", "none.>",
        "$JS.API.STREAM.INFO.DESKBELL", "$JS.API.STREAM.MSG.GET.DESKBELL"]
      subscribe: ["_INBOX.>"]
    } }
  ]
}`;

const message = (subject: string, id: string, body = "{}"): Message => ({
  subject,
  id,
  headers: { "X-Service-Sequence": id },
  body: Buffer.from(body),
});

describe.skipIf(!hasNatsServer)("with nats-server", () => {
  test("the permissions that `destinations test` lists suffice, and each kind of answer from NATS has its outcome", async () => {
    const { url, kill } = await createNatsServer(CONFIG);
    const manager = await manageStreams(url, { user: "admin", pass: "admin" });
    await addStream(manager, { name: "DESKBELL", max_msg_size: 2000 });
    await addStream(manager, { name: "OTHER", subjects: ["other.>"] });
    const credentials = { kind: "user" as const, user: "deskbell", password: "secret" };
    const settings = { url, stream: "DESKBELL", ca: null, credentials, allowPlaintext: false };

    const broker = await connectToStream(settings);
    expect(await broker.readLast("deskbell.salon.>", "X-Service-Sequence")).toBeNull();
    const first = message("deskbell.salon.catalog.changed", "1");
    const stored = { kind: "stored", streamSequence: 1, isDuplicate: false };
    expect(await broker.publish(first)).toEqual(stored);
    expect(await broker.publish(first)).toEqual({ ...stored, isDuplicate: true });
    expect((await manager.streams.info("DESKBELL")).state.messages).toBe(1);
    expect(await broker.readLast("deskbell.salon.>", "X-Service-Sequence")).toEqual({
      id: "1",
      value: "1",
    });
    const failed = { kind: "failed", isUnclear: false, isGeneral: true };
    expect(await broker.publish(message("other.a", "2"))).toEqual({
      ...failed,
      reason: "another stream has the subject other.a, not the stream DESKBELL",
    });
    expect(await broker.publish(message("none.a", "3"))).toEqual({
      ...failed,
      reason: "no stream has the subject none.a",
    });
    expect(await broker.publish(message("deskbell.a", "4", "x".repeat(3000)))).toEqual({
      kind: "too_large",
      reason: "the max_msg_size of the stream DESKBELL",
    });
    expect(await broker.publish(message("deskbell.a", "5", "x".repeat(4050)))).toEqual({
      kind: "too_large",
      reason: "the max_payload of the server",
    });
    expect(await broker.publish(message("secret.a", "6"))).toEqual({
      ...failed,
      isGeneral: false,
      reason: expect.stringMatching(/permissions violation/i),
    });
    await manager.streams.update("DESKBELL", { max_msgs: 1, discard: "new" as never });
    expect(await broker.publish(message("deskbell.a", "7"))).toEqual({
      ...failed,
      reason: "the stream DESKBELL refuses: maximum messages exceeded",
    });

    const rt = createTestRuntime();
    addBusiness(rt);
    const { destination } = addDestination(rt, { url, credentials });
    const results = await testDestination(rt, destination);
    expect(results.map(({ about, result }) => `${about}: ${result}`)).toEqual([
      "connection: ok",
      "subjects: ok",
      "storage: ok",
      "position: ok",
      "size of a message: ok",
      "size of the stream: warning",
      "duplicate window: ok",
      "publish: ok",
      ...Array(4).fill("permission: needed"),
    ]);
    expect((await manager.streams.info("DESKBELL")).state.messages).toBe(1);

    await expect(
      connectToStream({ ...settings, credentials: { ...credentials, password: "wrong" } }),
    ).rejects.toThrow(/authorization/i);
    await expect(connectToStream({ ...settings, url: url.replace("nats", "tls") })).rejects.toThrow(
      "server does not support 'tls'",
    );
    // 0.0.0.0 reaches this machine, but is not recognised as loopback.
    const remote = { ...settings, url: url.replace("127.0.0.1", "0.0.0.0") };
    await expect(connectToStream(remote)).rejects.toThrow(
      "the server has no TLS, so the password is not sent",
    );
    await (await connectToStream({ ...remote, allowPlaintext: true })).close();
    expect(await manager.streams.purge("DESKBELL")).toMatchObject({ success: true });
    const position = { kind: "stored", isDuplicate: false };
    expect(await broker.publish(message("deskbell.a", "8"))).toEqual({
      ...position,
      streamSequence: 2,
    });
    await manager.streams.delete("DESKBELL");
    await addStream(manager, { name: "DESKBELL" });
    expect(await broker.publish(message("deskbell.a", "8"))).toEqual({
      ...position,
      streamSequence: 1,
    });
    const pending = broker.publish(message("deskbell.a", "8"));
    await kill();
    await pending;
    await expect.poll(() => broker.isClosed()).toBe(true);
    expect(await broker.publish(message("deskbell.a", "9"))).toMatchObject({
      kind: "failed",
      isUnclear: true,
    });
    await expect(connectToStream(settings)).rejects.toThrow("connection refused");
  });
});
