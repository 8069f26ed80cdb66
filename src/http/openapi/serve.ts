import { readVersion } from "../../assets.ts";
import type { Runtime } from "../../runtime.ts";
import { type Answer, type Call, flat } from "../call.ts";
import { createFixedAnswer, fixText } from "../fixed-answer.ts";
import type { RouteSpec } from "../route.ts";

const HEADERS = flat({
  "content-type": "application/json",
  "cache-control": "public, max-age=0, must-revalidate",
});

/** The description is made when somebody first asks for it: a daemon that nobody asks has no need of all the schemas. */
export const answerOpenApi = (
  rt: Runtime,
  routes: readonly RouteSpec[],
): ((call: Call) => Promise<Answer>) =>
  createFixedAnswer(HEADERS, async () => {
    const { describeApi } = await import("./describe.ts");
    const { publicUrl } = rt.config.http;
    return fixText(JSON.stringify(describeApi({ routes, publicUrl, version: readVersion() })));
  });
