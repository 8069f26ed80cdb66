import { type SendOnce, testEndpoint } from "../../../app/webhooks/test-endpoint.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { respondJson } from "../../pipeline/request-context.ts";
import { handleEndpointAction, emptyBody } from "./endpoint-actions.ts";
import { PRIVATE } from "../../pipeline/business-response.ts";
import { toPublicText } from "./public-webhooks.ts";

/** Tests that wait for their receivers at once; far more than anybody's hands can start. */
const MOST_AT_ONCE = 64;

/** Sends one signed test event now and answers what came of it; a receiver that fails is no failure of this request. */
export const handleTestEndpoint = (rt: Runtime, sendOnce: SendOnce, closing: AbortSignal) => {
  const underway = new Set<string>();
  return handleEndpointAction(rt, emptyBody, async (call, { id }) => {
    if (underway.has(id))
      throw new AppError("conflict", "A test of this endpoint is still waiting for its answer.");
    if (underway.size >= MOST_AT_ONCE)
      throw new AppError("busy", "Too many tests wait for their answers.");
    underway.add(id);
    try {
      const result = await testEndpoint(
        rt,
        id,
        sendOnce,
        AbortSignal.any([call.request.disconnected(), closing]),
      );
      if (closing.aborted)
        throw new AppError(
          "shutting_down",
          "The server is shutting down: the test was broken off.",
        );
      const { error, responseText } = result;
      const data = {
        ...result,
        error: toPublicText(error),
        responseText: toPublicText(responseText),
      };
      return respondJson(call, 200, { data }, PRIVATE);
    } finally {
      underway.delete(id);
    }
  });
};
