import { deleteEndpoint } from "../../app/webhooks/endpoint-life.ts";
import { updateEndpoint } from "../../app/webhooks/endpoints.ts";
import { requireOwnEndpoint } from "../../app/webhooks/own-webhooks.ts";
import type { Runtime } from "../../runtime.ts";
import type { Credential } from "../../store/keys.ts";
import { readJsonObject } from "../body.ts";
import { type Answer, answerJson, answerWith, type Call } from "../call.ts";
import { PRIVATE, timezoneOf } from "../key-answers.ts";
import { readParameters } from "../parameters.ts";
import { representEndpoint } from "./represent-webhooks.ts";
import { newEndpoint } from "./endpoints.ts";
import { writeWhenFree } from "../writes.ts";

export const endpointPatch = newEndpoint.partial();

export const idOf = ({ asked }: Call): string => asked.params["id"] ?? "";

export const showWebhook =
  (rt: Runtime) =>
  (call: Call, key: Credential): Answer => {
    readParameters({}, call.asked.search);
    const endpoint = requireOwnEndpoint(rt, key, idOf(call));
    return answerJson(
      call,
      200,
      { data: representEndpoint(endpoint, timezoneOf(rt, key)) },
      PRIVATE,
    );
  };

export const changeWebhook =
  (rt: Runtime) =>
  async (call: Call, key: Credential): Promise<Answer> => {
    readParameters({}, call.asked.search);
    const { name, url, events, ...others } = await readJsonObject(call);
    const { id } = requireOwnEndpoint(rt, key, idOf(call));
    const changes = { name, url, events, byPartner: true, unknownFields: Object.keys(others) };
    const endpoint = await writeWhenFree(rt, () => updateEndpoint(rt, id, changes));
    return answerJson(
      call,
      200,
      { data: representEndpoint(endpoint, timezoneOf(rt, key)) },
      PRIVATE,
    );
  };

export const deleteWebhook =
  (rt: Runtime) =>
  async (call: Call, key: Credential): Promise<Answer> => {
    readParameters({}, call.asked.search);
    const { id } = requireOwnEndpoint(rt, key, idOf(call));
    await writeWhenFree(rt, () => deleteEndpoint(rt, id));
    return answerWith(call, 204, []);
  };
