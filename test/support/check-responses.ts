import { afterEach, vi } from "vitest";
import type * as Observing from "../../src/http/pipeline/response-observer.ts";
import { undocumented } from "./undocumented.ts";

// Checks every response of the API in this process against the OpenAPI document. A response that
// the document does not allow fails the test that caused it.

vi.mock(import("../../src/http/pipeline/response-observer.ts"), async (original) => {
  const { createResponseObserver }: typeof Observing = await original();
  const { findUndocumented } = await import("./openapi-conformance.ts");
  return {
    createResponseObserver: (...parts: Parameters<typeof createResponseObserver>) => {
      const observe = createResponseObserver(...parts);
      return (place, call, answer) => {
        undocumented.push(...findUndocumented(place, call.request, answer));
        observe(place, call, answer);
      };
    },
  };
});

/** Throws if a response since the last call differs from the document. */
export function assertAllDocumented(): void {
  const found = undocumented.splice(0);
  if (found.length > 0)
    throw new Error(`The OpenAPI document does not allow:\n${found.join("\n")}`);
}

afterEach(assertAllDocumented);
