import { findCalendarByToken, recordFormerUrl } from "./calendars.ts";
import { findFeed } from "./feed.ts";
import { AppError } from "../../domain/errors.ts";
import { createCachedResponse } from "../../http/pipeline/cached-response.ts";
import type { HandlerDeps, OpenHandler, RouteDefinition } from "../../http/pipeline/route.ts";
import { CACHEABLE, conditional, openGet, pathOf } from "../../http/route-constructors.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createCalendarFeeds } from "./feeds.ts";

const FILE = /^(\w+)\.ics$/;

const openFeeds = ({ config }: Runtime) => createCalendarFeeds(config);

/** Serves a feed. The token in the path is the only credential: calendar apps send no API key. */
function getCalendar({ rt, openShared }: HandlerDeps): OpenHandler {
  const feeds = openShared(openFeeds);
  return (context) => {
    const { slug, file = "" } = context.request.params;
    const [, token = ""] = FILE.exec(file) ?? [];
    const calendar = findCalendarByToken(rt, token, slug);
    const feed = calendar && findFeed(rt, calendar);
    if (calendar === undefined || feed === undefined)
      throw new AppError(
        "resource_not_found",
        "There is no calendar with this URL, or it was revoked.",
      );
    if (slug === undefined) recordFormerUrl(rt, calendar);
    const response = createCachedResponse(
      `W/"${feed.revision}"`,
      ["cache-control", "private, max-age=0, must-revalidate"],
      ["content-type", "text/calendar; charset=utf-8"],
      feeds.encode(calendar.id, feed),
    );
    return response.respond(context);
  };
}

const calendarRoute = (path: string, operationId: string, description: string): RouteDefinition =>
  openGet(path, {
    operationId,
    summary: "Get a calendar feed",
    description,
    pathParameters: {
      file: {
        description: "The secret token of the calendar, followed by `.ics`",
        example: "deskbell_cal_0f9c….ics",
      },
    },
    responses: conditional(
      "Visits from today to 400 days ahead as iCalendar (RFC 5545), with times in UTC, and those of the last 30 days as far as 20,000 entries allow. A session of a class is one entry.",
      "text/calendar",
      CACHEABLE,
    ),
    problems: ["resource_not_found"],
    handle: getCalendar,
  });

export const routes: readonly RouteDefinition[] = [
  calendarRoute(
    pathOf("calendars/:file"),
    "getBusinessCalendar",
    "The URL, which `deskbell calendars create` prints, is secret and can be revoked. Calendar apps poll it at their own interval.",
  ),
  calendarRoute(
    "/calendars/:file",
    "getCalendar",
    "The same feed at the URL that earlier versions of deskbell printed. Use the URL with the slug: with several servers behind one proxy, only the first one has this route.",
  ),
];
