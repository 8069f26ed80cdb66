import { type SendOnce, testEndpoint } from "../../app/webhooks/test-endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../runtime.ts";
import { answerJson } from "../call.ts";
import { actOnEndpoint, noFields } from "./endpoint-actions.ts";
import { PRIVATE } from "../key-answers.ts";
import { shownText } from "./represent-webhooks.ts";

/** Tests that wait for their receivers at once; far more than anybody's hands can start. */
const MOST_AT_ONCE = 64;

/** Sends one signed test event now and answers what came of it; a receiver that fails is no failure of this request. */
export const testWebhook = (rt: Runtime, sendOnce: SendOnce, closing: AbortSignal) => {
  const underway = new Set<string>();
  return actOnEndpoint(rt, noFields, async (call, { id }) => {
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
        AbortSignal.any([call.asked.gone(), closing]),
      );
      if (closing.aborted)
        throw new AppError(
          "shutting_down",
          "The server is shutting down: the test was broken off.",
        );
      const { error, responseText } = result;
      const data = { ...result, error: shownText(error), responseText: shownText(responseText) };
      return answerJson(call, 200, { data }, PRIVATE);
    } finally {
      underway.delete(id);
    }
  });
};
