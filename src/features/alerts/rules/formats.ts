import { defang, safe } from "../../../domain/text.ts";
import type { Alert } from "./alert.ts";
import type { AlertFormat } from "../../../domain/conditions/alert-url.ts";
import { isNotice } from "../../../domain/conditions/registry.ts";

export type AlertRequest = { headers: Record<string, string>; body: string };

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
/** The maximum length of each text field in JSON, in characters. */
const MAX_LENGTH = 2048;
/** Discord rejects a longer message. */
const DISCORD_MAX_LENGTH = 2000;

/**
 * Returns the body and headers of the POST. Some names and errors in an alert come from partners,
 * so each format escapes them.
 */
export function formatAlert(format: AlertFormat, alert: Alert): AlertRequest {
  const text = alertText(alert);
  switch (format) {
    case "json":
      return jsonRequest({ ...alert, ...legacyFields(alert), text });
    case "slack":
      return jsonRequest({
        text: text + listLinks(alert, ({ label, url }) => ` <${url}|${label}>`),
        // Slack would otherwise request the links for a preview.
        ...(alert.links && { unfurl_links: false }),
      });
    case "discord": {
      // Angle brackets keep Discord from requesting the links for a preview.
      const links = listLinks(alert, ({ label, url }) => ` [${label}](<${url}>)`);
      return jsonRequest({
        content: text.slice(0, DISCORD_MAX_LENGTH - links.length) + links,
        allowed_mentions: { parse: [] },
      });
    }
    case "ntfy":
      return {
        headers: {
          "content-type": "text/plain; charset=utf-8",
          title: alertTitle(alert),
          priority: alert.status === "FIRING" ? NTFY_PRIORITY[alert.severity] : "2",
          tags: alert.status === "FIRING" ? "warning" : "white_check_mark",
          ...(alert.links && { actions: ntfyActions(alert) }),
        },
        body: text,
      };
    case "alertmanager":
      return jsonRequest([alertmanagerAlert(alert)]);
  }
}

const LABELS = { accept: "Accept", decline: "Decline" } as const;

type Link = { label: string; url: string };

function linksOf({ links }: Alert): Link[] {
  return links === undefined
    ? []
    : [
        { label: LABELS.accept, url: links.accept },
        { label: LABELS.decline, url: links.decline },
      ];
}

const listLinks = (alert: Alert, format: (link: Link) => string): string =>
  linksOf(alert).map(format).join("");

/** Returns buttons that open the pages, as JSON because a URL may contain a comma. */
const ntfyActions = (alert: Alert): string =>
  JSON.stringify(linksOf(alert).map((link) => ({ action: "view", ...link })));

/** Returns a line with each link of an alert, for a mail. */
export const linkLines = (alert: Alert): string =>
  listLinks(alert, ({ label, url }) => `${label}: ${url}\n`);

const NTFY_PRIORITY = { critical: "5", warning: "4", info: "3" };

/** Returns a plain ASCII text for headers, such as `deskbell storage.full FIRING`. */
const alertTitle = (alert: Alert): string => `deskbell ${alert.code} ${shownStatus(alert)}`;

/** Returns the status, or NOTICE for a notice: a past event neither fires nor ends. */
export const shownStatus = ({ code, status }: Alert): Alert["status"] | "NOTICE" =>
  isNotice(code) ? "NOTICE" : status;

/** Returns the alert as one paragraph without mentions and links. */
export function alertText({ severity, status, message, fix, count }: Alert): string {
  const times = count > 1 ? ` (${count} times)` : "";
  const advice = status === "FIRING" && fix !== "" ? ` Fix: ${fix}` : "";
  return defang(`${severity}: ${message.replace(/\.$/, "")}${times}.${advice}`);
}

const jsonRequest = (value: unknown): AlertRequest => ({
  headers: JSON_TYPE,
  body: JSON.stringify(value, (_key, field: unknown) =>
    typeof field === "string" ? safe(field, MAX_LENGTH) : field,
  ),
});

/** Returns the deprecated fields of version 0.1. */
function legacyFields({ code, status, subject }: Alert) {
  const isEndpoint = code.startsWith("endpoint.") || code === "delivery.exhausted";
  const type =
    isEndpoint && status === "RESOLVED"
      ? "endpoint.recovered"
      : code === "endpoint.disabling"
        ? "endpoint.disable_scheduled"
        : code;
  return { type, endpoint: isEndpoint ? subject : null };
}

function alertmanagerAlert(alert: Alert) {
  const { code, severity, business, subject, message, fix, since, at, status, fingerprint } = alert;
  return {
    labels: {
      alertname: code,
      severity,
      service: "deskbell",
      ...(business !== null && { business }),
      ...(subject !== null && { subject: subject.id }),
      cause: fingerprint,
    },
    annotations: { summary: message, description: fix },
    startsAt: since,
    ...(status === "RESOLVED" && { endsAt: at }),
  };
}
