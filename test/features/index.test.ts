import { rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import {
  checkWithout,
  copyWithout,
  STATIC_CHECKS,
  withoutFeature,
} from "../../.config/test-features.ts";
import { FEATURES } from "../../src/features/index.ts";
import { patient } from "../support/patience.ts";

const usedBy = (name: string) => FEATURES.filter(({ uses = [] }) => uses.includes(name));
const removable = FEATURES.map(({ name }) => name).filter((name) => usedBy(name).length === 0);
const drawn = removable[Math.floor(Math.random() * removable.length)] ?? "";

test(
  `the core without the feature ${drawn}, which is drawn at random, passes the type check and the linter`,
  () => {
    const folder = copyWithout(drawn);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(checkWithout(folder, STATIC_CHECKS)).toEqual([]);
  },
  patient(120_000),
);

test("removing a feature from a list also removes its import", () => {
  const list = `import { a } from "./a/feature.ts";
import { b } from "./b-c/feature.ts";
const LIST = [a, b] as const;
`;
  expect(withoutFeature(list, "b-c")).toBe(`import { a } from "./a/feature.ts";
const LIST = [a] as const;
`);
  expect(withoutFeature(list, "c")).toBe(list);
  const hooks = `import { first } from "./a/first.ts";
export const LIST: readonly Hook[] = [
  first,
];
`;
  expect(withoutFeature(hooks, "a")).toBe("export const LIST: readonly Hook[] = [];\n");
});
