import { afterEach, vi } from "vitest";
import type * as Observing from "../../src/http/pipeline/response-observer.ts";

// Every answer that the API gives in this process, over a socket or without one, is held against its description: what that
// does not say fails the test that asked.

const found: string[] = [];

vi.mock(import("../../src/http/pipeline/response-observer.ts"), async (original) => {
  const { createResponseObserver }: typeof Observing = await original();
  const { findUndocumented } = await import("./openapi-conformance.ts");
  return {
    createResponseObserver: (...parts: Parameters<typeof createResponseObserver>) => {
      const observe = createResponseObserver(...parts);
      return (place, call, answer) => {
        found.push(...findUndocumented(place, call.request, answer));
        observe(place, call, answer);
      };
    },
  };
});

afterEach(() => {
  const told = found.splice(0);
  if (told.length > 0)
    throw new Error(`The description of the API does not allow:\n${told.join("\n")}`);
});
