import {
  type SendOnce,
  testEndpoint,
  type TestResult,
} from "../../../app/webhooks/test-endpoint.ts";
import { AppError } from "../../../domain/errors.ts";
import { outcomeForPartners } from "../../../domain/webhooks/outcome.ts";
import { isPublicAddress } from "../../../domain/webhooks/safe-url.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { handleEndpointAction, emptyBody } from "./endpoint-actions.ts";
import { respondData } from "../../pipeline/business-response.ts";
import { toPublicText } from "./public-webhooks.ts";

/** Maximum concurrent tests; far more than people start by hand. */
const MAX_CONCURRENT_TESTS = 64;

/** The address of a private host is for the operator only, and that of one that did not respond. */
const publicAddress = ({ outcome, address }: TestResult): string | null =>
  outcome === "responded" && address !== null && isPublicAddress(address) ? address : null;

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
      const data = {
        ...outcomeForPartners(result),
        address: publicAddress(result),
        responseText: toPublicText(result.responseText),
      };
      return respondData(context, data);
    } finally {
      testing.delete(id);
    }
  });
};
