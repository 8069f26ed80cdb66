import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { changeCatalog } from "../../src/app/catalog/change-catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { setSoldOut } from "../../src/app/catalog/sold-out.ts";
import { loadCatalog } from "../../src/app/catalog/load-catalog.ts";
import { publishClockChanges } from "../../src/app/catalog/publish.ts";
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
 * What partners can read, without the number of tickets left, which no event reports, and without
 * the list of add-ons, which are only served inside services.
 */
const withoutCounts = ({ addons: _addons, ...lists }: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(lists, (key, part) => (key === "remaining" ? undefined : part)));

test(`a mirror that follows the events equals a full read after each of ${ROUNDS} transactions (seed ${SEED})`, () => {
  const rt = createTestRuntime();
  const randomInt = createRandomInt(SEED);
  changeCatalog(rt, buildCatalog(), "local", null);
  const business = () => getBusiness(rt, "salon-aurora");
  const readAll = () => toPublicCatalog(loadCatalog(rt, business()), rt.now());
  const mirror = createMirror(readAll);
  let seen = business().lastSequence;
  let eventCount = 0;

  for (let round = 1; round <= ROUNDS; round++) {
    const { catalog } = loadCatalog(rt, business());
    const item = catalog.objects.menu_item[randomInt(catalog.objects.menu_item.length || 1)];
    const kind = randomInt(10);
    if (kind === 0) {
      rt.advance(randomInt(6) * HOUR);
      publishClockChanges(rt);
    } else if (kind === 1 && item)
      setSoldOut(
        rt,
        business(),
        item.key,
        (["back", null, rt.now() + HOUR] as const)[randomInt(3)] ?? null,
      );
    else changeCatalog(rt, applyRandomEdits(catalog, randomInt, rt.now()), "local", null);

    const events = rt.store.events.listAfter(business().id, seen, 10_000);
    seen += events.length;
    eventCount += events.length;
    mirror.follow(events.map(({ body }) => JSON.parse(body.toString()) as Envelope));
    const [mirrored, read] = [withoutCounts(mirror.lists()), withoutCounts(readAll())];
    // Comparing every round with toEqual would take ten times as long.
    if (!isDeepStrictEqual(mirrored, read))
      expect({ round, lists: mirrored }).toEqual({ round, lists: read });
  }
  expect(eventCount).toBeGreaterThan(ROUNDS);
}, 120_000);
