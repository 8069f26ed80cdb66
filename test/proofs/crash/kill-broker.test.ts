import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { readConfig } from "../../../src/config.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import {
  addStream,
  createNatsServer,
  hasNatsServer,
  manageStreams,
} from "../../features/nats/nats-server.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";
import {
  createCursorStore,
  createDestinationStore,
  type CursorRow,
} from "../../../src/features/nats/store.ts";

const ROUNDS = chooseScale(2, 200, 3);
const SEED = chooseSeed(7);
const TARGETS = ["broker", "daemon", "both"] as const;
/**
 * The longest time that the broker and the daemon run before a kill. `LONGEST_ABSENCE_MS` is the
 * longest time until a killed one is started again.
 */
const LONGEST_LIFE_MS = 400;
const LONGEST_ABSENCE_MS = 300;
const EDIT_EVERY_MS = 15;

/** Changes prices of both businesses until it is stopped. */
function startEditing(rt: Runtime): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const ended = (async () => {
    for (let priceCents = 1000; !stopping.signal.aborted; priceCents++) {
      const price = { priceCents };
      if (priceCents % 2 === 0)
        editObject(rt, "salon-aurora", "service", "cut", (doc) => ({ ...doc, ...price }));
      else editObject(rt, "cafe-lumen", "menu_item", "espresso", (doc) => ({ ...doc, ...price }));
      await sleep(EDIT_EVERY_MS);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

describe.skipIf(!hasNatsServer)("with nats-server", () => {
  test(
    `${ROUNDS} kills of the NATS server, the daemon or both leave no event out of the stream`,
    { timeout: patient(chooseScale(60_000, 1_800_000)) },
    async () => {
      const random = createSeededRandom(SEED);
      const { dataDir, deskbell } = await createSeededSalon();
      await deskbell("seed", "restaurant");
      const server = await createNatsServer();
      await addStream(await manageStreams(server.url), { name: "DESKBELL" });
      const target = ["--url", server.url, "--stream", "DESKBELL"];
      await deskbell("destinations", "create", "--name", "bus", "--all", ...target);
      const rt = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
      onTestFinished(rt.close);
      const first = new Map(
        rt.store.businesses.list().map(({ id, lastSequence }) => [id, lastSequence]),
      );
      const { stop } = startEditing(rt);
      let daemon = spawnDaemon(dataDir);
      await waitForUrl(daemon);

      for (let round = 0; round < ROUNDS; round++) {
        await sleep(random.integer(0, LONGEST_LIFE_MS));
        const killed = TARGETS[ROUNDS === TARGETS.length ? round : random.integer(0, 2)];
        if (killed !== "broker") daemon.child.kill("SIGKILL");
        if (killed !== "daemon") await server.kill();
        await sleep(random.integer(0, LONGEST_ABSENCE_MS));
        if (killed !== "daemon") await server.start();
        if (killed === "broker") continue;
        await daemon.waitForExit();
        daemon = spawnDaemon(dataDir);
        await waitForUrl(daemon);
      }
      await stop();
      const [destination] = rt.openStore(createDestinationStore).list();
      await expect
        .poll(() => rt.openStore(createCursorStore).listBehind(destination?.id ?? "", null), {
          timeout: patient(60_000),
          interval: 50,
        })
        .toEqual([]);

      const compare = async () => comparePublished(rt, first, await readSequences(server.url));
      const { events, missing, disordered, repeated } = await compare();
      expect({ missing, disordered }).toEqual({ missing: 0, disordered: 0 });
      expect(events).toBeGreaterThan(ROUNDS);
      const figure = `None of ${events} events was missing or out of order, and ${repeated} were stored twice.`;
      console.log(`${ROUNDS} kills. ${figure}`);
      if (!isRecording()) return;

      // The control imitates a daemon with a bug, which saves its cursor before the stream has
      // answered, and is killed in between: the stored cursor is three events too high.
      daemon.child.kill("SIGKILL");
      await daemon.waitForExit();
      const salon = rt.store.businesses.findBySlug("salon-aurora");
      editObject(rt, "salon-aurora", "service", "cut", (doc) => ({ ...doc, priceCents: 1 }));
      const destinationId = destination?.id ?? "";
      const cursor = rt.openStore(createCursorStore).find(destinationId, salon?.id ?? "");
      const saved = { ...(cursor as CursorRow), sequence: (cursor?.sequence ?? 0) + 3 };
      rt.tx(() => rt.openStore(createCursorStore).save(destinationId, saved));
      await waitForUrl(spawnDaemon(dataDir));
      const control = await compare();
      recordClaim({
        group: "crash",
        claim:
          "No kill of the NATS server or the daemon leaves an event out of the stream or changes the order of a business",
        done: `The NATS server, the daemon or both were killed ${ROUNDS} times, while two businesses changed.`,
        figure,
        control: {
          done: "The daemon saved a cursor before the stream had answered, and was killed.",
          figure: `${control.missing} events were missing.`,
          hasFailed: control.missing > 0,
        },
        seed: SEED,
      });
    },
  );
});

/** Compares the events since `first`, by business, with those in the stream. */
function comparePublished(
  rt: Runtime,
  first: ReadonlyMap<string, number>,
  published: ReadonlyMap<string, number[]>,
) {
  const result = { events: 0, missing: 0, disordered: 0, repeated: 0 };
  for (const { id, slug } of rt.store.businesses.list()) {
    const all = published.get(slug) ?? [];
    const arrived = [...new Set(all)];
    const stored = rt.store.events.listAfter(id, first.get(id) ?? 0, 1_000_000);
    result.events += stored.length;
    result.missing += stored.filter(({ sequence }) => !arrived.includes(sequence)).length;
    result.disordered += arrived.filter((sequence, i) => sequence < (arrived[i - 1] ?? 0)).length;
    result.repeated += all.length - arrived.length;
  }
  return result;
}

/** Returns the sequence numbers in the stream, by business, in the order of the stream. */
async function readSequences(url: string): Promise<Map<string, number[]>> {
  const { streams } = await manageStreams(url);
  const { state } = await streams.info("DESKBELL");
  const published = new Map<string, number[]>();
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await streams.getMessage("DESKBELL", { seq });
    const slug = message?.subject.split(".")[1] ?? "";
    const sequence = Number(message?.header.get("X-Service-Sequence"));
    published.set(slug, [...(published.get(slug) ?? []), sequence]);
  }
  return published;
}
