import { onTestFinished, vi } from "vitest";
import type { Runtime } from "../../src/app/runtime.ts";
import type { Feature } from "../../src/features/feature.ts";
import { FEATURES } from "../../src/features/index.ts";

/**
 * Adds a feature until the test ends. Tests use it for what the core does only if a feature asks
 * for it.
 */
export function addFeature(feature: Feature): void {
  const features = FEATURES as Feature[];
  features.push(feature);
  onTestFinished(() => void features.splice(features.indexOf(feature), 1));
}

/** Makes the program store notices, and returns a spy on what it stores. */
export function spyOnNotices(rt: Runtime) {
  addFeature({ name: "notice-reader", takesNotices: true });
  return vi.spyOn(rt.store.notices, "put");
}
