import { expect, test, vi } from "vitest";
import { type Claim, recordClaim } from "../../support/claims.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { Draw } from "../../support/documented-catalog.ts";
import { EditedBusiness } from "../../support/documented-edits.ts";
import { FineMirror, type Omission, ROUTES } from "../../support/documented-mirror.ts";
import { startUnreliableReceiver } from "../../support/documented-receiver.ts";
import { SimpleMirror } from "../../support/documented-simple-mirror.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { patient } from "../../support/patience.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";

const SEED = chooseSeed(20261123);
const SCALE = chooseScale(
  { rounds: 1, edits: 4, slugs: ["cafe-lumen"], isFull: false },
  { rounds: 20, edits: 8, slugs: ["salon-aurora", "cafe-lumen", "kita-live"], isFull: true },
);
const OMISSIONS: Omission[] = ["deletions", "order", "refetch", "numbers"];

test(
  "both mirrors of the guide equal the lists after unreliable webhooks",
  { timeout: 3_600_000 },
  async () => {
    const draw = new Draw(createRandomInt(SEED));
    const { dataDir, deskbell } = createTerminal();
    const folder = createTempFolder();
    expect(await deskbell("seed all")).toMatchObject({ code: 0 });
    const url = await waitForUrl(spawnDaemon(dataDir));
    const counts = { edits: 0, webhooks: 0, applied: 0, lists: 0 };
    const noticed = new Map(OMISSIONS.map((omission) => [omission, 0]));
    for (const slug of SCALE.slugs) {
      const business = await EditedBusiness.open({ deskbell, folder, url, draw, slug });
      const fine = new FineMirror(business.read);
      const simple = new SimpleMirror(business.read);
      const careless = OMISSIONS.map((omission) => new FineMirror(business.read, omission));
      const mirrors = [fine, simple, ...careless];
      const receiver = await startUnreliableReceiver(draw, (event) => {
        for (const mirror of mirrors) mirror.receive(event);
      });
      await business.subscribe(receiver.url);
      for (const mirror of mirrors) await mirror.start();
      for (let round = 0; round < SCALE.rounds; round++) {
        receiver.setUp(draw.chance(75));
        for (let i = 0; i < SCALE.edits; i++) {
          await business.edit();
          receiver.handOver();
          if (draw.chance(50)) for (const mirror of mirrors) await mirror.applyPending();
        }
        receiver.handOver();
        for (const mirror of mirrors) await mirror.catchUp();
        const now = Date.now();
        for (const mirror of mirrors) await mirror.readExpired(now);
        // The number of tickets left is sent at most once in ten seconds for each event.
        const isCounted = async (): Promise<void> => {
          await fine.catchUp();
          await simple.catchUp();
          const { data } = (await business.read(ROUTES["events/catalog"] ?? "")).body;
          expect(fine.show("events/catalog", now)).toEqual(data);
        };
        await vi.waitFor(isCounted, { timeout: patient(20_000), interval: 500 });
        for (const [route, path] of Object.entries(ROUTES)) {
          const { data } = (await business.read(path)).body;
          expect(fine.show(route, now), `fine mirror of ${slug}, ${route}`).toEqual(data);
          expect(simple.show(route), `simple mirror of ${slug}, ${route}`).toEqual(data);
          counts.lists += 2;
          for (const mirror of careless)
            if (JSON.stringify(mirror.show(route, now)) !== JSON.stringify(data))
              noticed.set(mirror.omission, (noticed.get(mirror.omission) ?? 0) + 1);
        }
      }
      counts.edits += business.edits;
      counts.webhooks += receiver.received();
      counts.applied += fine.applied;
    }
    recordClaim({
      group: "simulate",
      claim:
        "Both mirrors equal the lists when they are written from the guide alone, and webhooks are lost, repeated and out of order",
      done: `${counts.edits} random changes of ${SCALE.slugs.length} businesses were made by file and command, and ${counts.webhooks} webhooks were sent to a receiver that is sometimes down; the mirrors read the feed, too.`,
      figure: `${counts.applied} events were applied; ${counts.lists} lists were compared, and none differed.`,
      control: controlOf(noticed),
      seed: SEED,
    });
  },
);

/** Returns the control of the claim: a short run notices some of the omissions, a full run all. */
function controlOf(noticed: Map<Omission, number>): Claim["control"] {
  const counts = [...noticed.values()];
  return {
    done: `A mirror ignored ${[...noticed.keys()].join(", or ")}.`,
    figure: `The different lists were ${[...noticed].map(([name, count]) => `${count} (${name})`).join(", ")}.`,
    hasFailed: SCALE.isFull ? counts.every((count) => count > 0) : counts.some((n) => n > 0),
  };
}
