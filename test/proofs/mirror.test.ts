import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { changeCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { setSoldOut } from "../../src/app/catalog/sold-out.ts";
import { loadCatalog, publishClockChanges } from "../../src/app/catalog/publish.ts";
import type { Envelope } from "../../src/domain/envelope.ts";
import { toPublicCatalog } from "../../src/domain/public/public-catalog.ts";
import { buildCatalog } from "../support/catalog-builders.ts";
import { createMirror } from "../support/mirror.ts";
import { createRandomInt, applyRandomEdits } from "../support/random-edits.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const ROUNDS = Number(process.env["DESKBELL_MIRROR_ROUNDS"] ?? 1000);
const SEED = Number(process.env["DESKBELL_MIRROR_SEED"] ?? 42);
const HOUR = 3_600_000;

/**
 * What the routes serve, but for what is counted in the read: no event tells how many tickets are left. Add-ons are served
 * inside services alone.
 */
const served = ({ addons: _addons, ...lists }: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(lists, (key, part) => (key === "remaining" ? undefined : part)));

test(`a mirror that follows the events equals a full read after each of ${ROUNDS} transactions (seed ${SEED})`, () => {
  const rt = createTestRuntime();
  const roll = createRandomInt(SEED);
  changeCatalog(rt, buildCatalog(), "local", null);
  const business = () => getBusiness(rt, "salon-aurora");
  const readAll = () => toPublicCatalog(loadCatalog(rt, business()), rt.now());
  const mirror = createMirror(readAll);
  let seen = business().lastSequence;
  let told = 0;

  for (let round = 1; round <= ROUNDS; round++) {
    const { catalog } = loadCatalog(rt, business());
    const dish = catalog.objects.menu_item[roll(catalog.objects.menu_item.length || 1)];
    const kind = roll(10);
    if (kind === 0) {
      rt.advance(roll(6) * HOUR);
      publishClockChanges(rt);
    } else if (kind === 1 && dish)
      setSoldOut(
        rt,
        business(),
        dish.key,
        (["back", null, rt.now() + HOUR] as const)[roll(3)] ?? null,
      );
    else changeCatalog(rt, applyRandomEdits(catalog, roll, rt.now()), "local", null);

    const events = rt.store.events.listAfter(business().id, seen, 10_000);
    seen += events.length;
    told += events.length;
    mirror.follow(events.map(({ body }) => JSON.parse(body.toString()) as Envelope));
    const [kept, read] = [served(mirror.lists()), served(readAll())];
    // toEqual alone takes ten times as long.
    if (!isDeepStrictEqual(kept, read))
      expect({ round, lists: kept }).toEqual({ round, lists: read });
  }
  expect(told).toBeGreaterThan(ROUNDS);
}, 120_000);
