import { findCalendarByToken } from "../../app/calendars/calendars.ts";
import { findFeed } from "../../app/calendars/feed.ts";
import { AppError } from "../../domain/errors.ts";
import { createCachedResponse } from "../pipeline/cached-response.ts";
import type { HandlerResult, RequestContext } from "../pipeline/request-context.ts";
import type { HandlerDeps } from "../pipeline/route.ts";

const FILE = /^(\w+)\.ics$/;

/** The token in the path is the only credential: calendar apps cannot send an API key. */
export const getCalendar =
  ({ rt, calendarFeeds }: HandlerDeps) =>
  (context: RequestContext): HandlerResult => {
    const { slug, file = "" } = context.request.params;
    const [, token = ""] = FILE.exec(file) ?? [];
    const calendar = findCalendarByToken(rt, token, slug);
    const feed = calendar && findFeed(rt, calendar);
    if (calendar === undefined || feed === undefined)
      throw new AppError(
        "resource_not_found",
        "There is no calendar with this URL, or it was revoked.",
      );
    const response = createCachedResponse(
      `W/"${feed.revision}"`,
      ["cache-control", "private, max-age=0, must-revalidate"],
      ["content-type", "text/calendar; charset=utf-8"],
      calendarFeeds.encode(calendar.id, feed),
    );
    return response.respond(context);
  };
