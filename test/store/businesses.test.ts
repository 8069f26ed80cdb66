import { expect, test } from "vitest";
import type { SectionEdits } from "../../src/domain/catalog/change/local-edits.ts";
import { addBusiness, emitEvents } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("a business that is created again continues its own counters, and a new business begins at 0", () => {
  const rt = createTestRuntime();
  const { businesses } = rt.store;
  const first = addBusiness(rt, "first");
  const second = addBusiness(rt, "second");
  emitEvents(rt, first, "service.created", "service.updated");
  emitEvents(rt, second, "service.created");
  for (const { id } of [first, second]) rt.tx(() => businesses.delete(id));
  expect(businesses.getInitialCounters(first.id)).toEqual({ catalogVersion: 1, lastSequence: 2 });
  expect(businesses.getInitialCounters(second.id)).toEqual({ catalogVersion: 1, lastSequence: 1 });
  expect(businesses.getInitialCounters("biz_new")).toEqual({ catalogVersion: 0, lastSequence: 0 });
});

test("writing the edited sections of a business changes the database only if they differ from the stored ones", () => {
  const rt = createTestRuntime();
  const { id } = addBusiness(rt);
  const { businesses } = rt.store;
  const write = (edits: SectionEdits) => {
    const before = rt.revision();
    rt.tx(() => businesses.writeSectionEdits(id, edits));
    return rt.revision() - before;
  };
  const edits: SectionEdits = { closures: [] };
  expect([{}, edits, edits, {}, {}].map(write)).toEqual([0, 1, 0, 1, 0]);
  expect(businesses.getSectionEdits(id)).toEqual({});
});

test("businesses are listed in the order of their slugs, up to a number", () => {
  const rt = createTestRuntime();
  const [b, a, c] = ["b", "a", "c"].map((slug) => addBusiness(rt, slug));
  const { businesses } = rt.store;
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  expect(idsOf(businesses.list(2))).toEqual([a?.id, b?.id]);
  expect(idsOf(businesses.list())).toEqual([a?.id, b?.id, c?.id]);
  expect(businesses.listIds()).toEqual([a, b, c].map((row) => ({ id: row?.id, slug: row?.slug })));
});
