import { EVENT_TYPES } from "../../domain/event-types.ts";
import { AppError } from "../../domain/errors.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { command, type Group } from "../command.ts";
import { requiredText, text, texts, toggle } from "../flags.ts";
import { handOver } from "../hand-over.ts";
import { isoTime, shortTime } from "../table.ts";

const add = command({
  name: "add",
  about: "Subscribe a URL to events and print its signing secret, this once, alone on stdout.",
  flags: {
    name: requiredText("name", "label of the endpoint"),
    url: requiredText("url", "where the webhooks go: https, on a public address"),
    event: texts("type", "an event such as service.updated, once for each; or all"),
    allowPrivate: toggle("trust this URL: http and private addresses are fine"),
    out: text("file", "write the secret to a new file (0600) instead of stdout"),
  },
  examples: [
    "webhooks add --business salon-aurora --name site --url https://example.com/hook --event catalog.changed",
    "webhooks add --business salon-aurora --name till --url http://192.168.1.20/hook --event all --allow-private --out till.secret",
  ],
  async run(cli, { name, url, event, allowPrivate, out }) {
    if (event.length === 0)
      throw new AppError("usage", "No event was named to subscribe to.", {
        fix: "add --event all, or --event service.updated",
      });
    const rt = await cli.open();
    const business = cli.business(rt);
    const { createEndpoint } = await import("../../app/endpoints.ts");
    const events = event.includes("all") ? [...EVENT_TYPES] : event;
    await handOver(cli, out, async () => {
      const request = { businessId: business.id, keyId: null, name, url, events, allowPrivate };
      const { endpoint, secret } = await createEndpoint(rt, request);
      return { secret, of: shownEndpoint(endpoint) };
    });
  },
});

const list = command({
  name: "list",
  about: "List the webhook endpoints of a business, or of all.",
  examples: ["webhooks list", "webhooks list --business salon-aurora --json"],
  async run(cli) {
    const rt = await cli.open();
    const businessId = cli.flags.business === undefined ? undefined : cli.business(rt).id;
    cli.printList(
      rt.store.endpoints.list(businessId).map(shownEndpoint),
      [
        { title: "ID", value: ({ id }) => id, whole: true },
        { title: "NAME", value: ({ name }) => name },
        { title: "URL", value: ({ url }) => url },
        { title: "EVENTS", value: ({ events }) => (events.length === EVENT_TYPES.length ? "all" : events.join(" ")) },
        { title: "STATUS", value: ({ status }) => status },
        { title: "FAILING SINCE", value: ({ failingSince }) => shortTime(failingSince) },
      ],
      "No webhook endpoint yet.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show a webhook endpoint; never its secret, which only its creation prints.",
  arguments: ["<endpoint>"],
  examples: ["webhooks show whe_06f…", "webhooks show whe_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const endpoint = rt.store.endpoints.byId(id);
    if (!endpoint)
      throw new AppError("resource_not_found", `There is no webhook endpoint ${id}.`, {
        fix: "deskbell webhooks list",
      });
    cli.printObject(shownEndpoint(endpoint));
  },
});

const shownEndpoint = (endpoint: EndpointRow) => ({
  ...endpoint,
  failingSince: isoTime(endpoint.failingSince),
  createdAt: isoTime(endpoint.createdAt),
  updatedAt: isoTime(endpoint.updatedAt),
});

export const webhooks: Group = {
  name: "webhooks",
  about: "Where partners have their webhooks sent.",
  commands: [add, list, show],
};
