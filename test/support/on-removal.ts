import { onTestFinished } from "vitest";
import type { OnRemoval } from "../../src/app/feature-hooks.ts";
import { ON_REMOVAL } from "../../src/features/on-removal.ts";

/** Calls a hook besides those of features, until the test ends. */
export function addRemovalHook(hook: OnRemoval): void {
  const hooks = ON_REMOVAL as OnRemoval[];
  hooks.push(hook);
  onTestFinished(() => void hooks.splice(hooks.indexOf(hook), 1));
}
