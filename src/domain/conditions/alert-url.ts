// The configuration reads the formats of alerts before the compile cache is enabled, and all code
// that is loaded until then is compiled at each start. The formats are therefore apart from the
// code that writes alerts.

export const ALERT_FORMATS = ["json", "slack", "discord", "ntfy", "alertmanager"] as const;
export type AlertFormat = (typeof ALERT_FORMATS)[number];

/** Returns the format that the service at a URL expects. */
export function guessAlertFormat(url: string): AlertFormat {
  const { hostname, pathname } = new URL(url);
  if (/\/api\/v2\/alerts\/?$/.test(pathname)) return "alertmanager";
  // Discord accepts Slack's format at URLs that end with /slack.
  if (hostname === "hooks.slack.com" || pathname.endsWith("/slack")) return "slack";
  if (/^(?:\w+\.)?discord(?:app)?\.com$/.test(hostname)) return "discord";
  return hostname.startsWith("ntfy.") ? "ntfy" : "json";
}
