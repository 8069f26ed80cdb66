import type { StreamInfo } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import { checkStream, coversSubject } from "../../../src/features/nats/test-destination.ts";
import { addBusiness, emitEvents } from "../../support/delivery.ts";
import { addDestination } from "./destinations.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test.each([
  [">", true],
  ["deskbell.>", true],
  ["deskbell.*.*.*", true],
  ["deskbell.*.>", true],
  ["deskbell.salon.>", false],
  ["deskbell.*.*", false],
  ["deskbell.*.*.*.>", false],
  ["shop.>", false],
])("the subjects %s of a stream cover all businesses: %s", (pattern, isCovered) => {
  expect(coversSubject(pattern, "deskbell.*.*.*")).toBe(isCovered);
});

test("checkStream warns of an unsuitable stream, and fails for a missing subject", () => {
  const rt = createTestRuntime();
  emitEvents(rt, addBusiness(rt), "service.updated");
  const { destination } = addDestination(rt);
  const good = {
    config: {
      subjects: ["deskbell.>"],
      storage: "file",
      discard: "new",
      max_msgs: 100,
      max_bytes: -1,
      max_age: 86_400e9,
      max_msg_size: -1,
      duplicate_window: 120e9,
    },
    state: { messages: 50, bytes: 1000, last_seq: 50 },
  };
  const checkAll = (config: object, state: object = {}) =>
    checkStream(
      rt,
      destination,
      {
        config: { ...good.config, ...config },
        state: { ...good.state, ...state },
      } as unknown as StreamInfo,
      1_048_576,
    );
  const check = (config: object, state: object = {}) =>
    checkAll(config, state)
      .filter(({ result }) => result !== "ok")
      .map(({ about, result, details }) => `${about}: ${result}: ${details}`);
  const detailsOf = (wanted: string) => checkAll({}).find(({ about }) => about === wanted)?.details;
  expect(check({})).toEqual([]);
  expect(detailsOf("duplicate window")).toBe("120 s");
  expect(check({ subjects: ["a.\u001b[31m"] })).toEqual([
    "subjects: failed: a.␛[31m; needed: deskbell.*.*.*",
  ]);
  expect(check({ storage: "memory" })).toEqual([
    "storage: warning: memory: a restart of the server loses all messages",
  ]);
  destination.streamSequence = 51;
  expect(check({})).toEqual([
    "position: warning: message 50, but an event was stored as 51: the stream was deleted and created again, or restored",
  ]);
  destination.streamSequence = 50;
  expect(detailsOf("position")).toBe("message 50");
  expect(check({ max_msg_size: 1 })[0]).toMatch(/^size of a message: warning: at most 1 byte/);
  expect(check({ max_msg_size: 100 })[0]).toMatch(/^size of a message: warning: at most 100 bytes/);
  expect(check({}, { messages: 95 })).toEqual([
    "size of the stream: warning: 95 messages, 1.0 KB; at most 100 messages, 86400 s, then new ones are refused",
  ]);
  expect(check({ discard: "old" }, { messages: 100 })).toEqual([]);
  expect(check({ duplicate_window: 10e9 })[0]).toMatch(/^duplicate window: warning: 10 s: /);
});
