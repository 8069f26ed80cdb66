import { type SendOnce, testEndpoint } from "../../../app/webhooks/test-endpoint.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { handleEndpointAction, emptyBody } from "./endpoint-actions.ts";
import { respondData } from "../../pipeline/business-response.ts";
import { toPublicText } from "./public-webhooks.ts";

/** Maximum concurrent tests; far more than people start by hand. */
const MAX_CONCURRENT_TESTS = 64;

/** Sends a signed test event and responds with its result: 200 even if the receiver failed. */
export const handleTestEndpoint = (rt: Runtime, sendOnce: SendOnce, closing: AbortSignal) => {
  const testing = new Set<string>();
  return handleEndpointAction(rt, emptyBody, async (context, { id }) => {
    if (testing.has(id))
      throw new AppError("conflict", "A test of this endpoint is still in progress.");
    if (testing.size >= MAX_CONCURRENT_TESTS)
      throw new AppError("busy", "Too many tests are in progress; retry in a moment.");
    testing.add(id);
    try {
      const result = await testEndpoint(
        rt,
        id,
        sendOnce,
        AbortSignal.any([context.request.disconnected(), closing]),
      );
      if (closing.aborted)
        throw new AppError("shutting_down", "The server is shutting down; the test was aborted.");
      const { error, responseText } = result;
      const data = {
        ...result,
        error: toPublicText(error),
        responseText: toPublicText(responseText),
      };
      return respondData(context, data);
    } finally {
      testing.delete(id);
    }
  });
};
