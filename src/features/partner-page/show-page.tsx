/** @jsxImportSource preact */
import { ALL_EVENT_TYPES, EVENT_GROUPS, maySubscribe } from "../../domain/events/event-types.ts";
import type { PageRequest } from "../../http/pages/page-request.ts";
import { respondWithPage } from "../../http/pages/render-page.tsx";
import type { HttpResponse } from "../../http/pipeline/request-context.ts";
import type { PageProps } from "./browser/types.ts";

/** The event types by their group. The page offers the types of the key's groups. */
const EVENT_TYPES: PageProps["eventTypes"] = Object.fromEntries(
  EVENT_GROUPS.map((group) => [
    group,
    ALL_EVENT_TYPES.filter((type) => maySubscribe({ eventGroups: [group] }, type)),
  ]),
);

/**
 * Responds with the same page for every slug: the page has no data of a business, and does not show
 * whether the business exists. The script of the page reads data through the API with the partner's
 * key. The texts are English, like the documentation of the API.
 */
export const showPartnerPage = (request: PageRequest): HttpResponse =>
  respondWithPage(request, {
    language: "en",
    title: "Partner page · deskbell",
    description: "Test and repair the webhooks of an API key.",
    isPrivate: true,
    props: {
      slug: request.slug,
      base: request.base,
      eventTypes: EVENT_TYPES,
    } satisfies PageProps,
    content: (
      <main>
        <h1>Partner page</h1>
        <p>
          This page shows what an API key can do, its webhook endpoints and their deliveries. It
          needs JavaScript: it reads everything through the API with your key, which never leaves
          this tab.
        </p>
        <p>
          <a href={`${request.base}/docs`}>The documentation</a> describes the same requests for{" "}
          <code>curl</code> and other clients.
        </p>
      </main>
    ),
  });
