import { AppError, type ValidationIssue } from "../../domain/errors.ts";
import type { DestinationSettings } from "./store.ts";
import type { Credentials } from "./secrets.ts";
import { validateField } from "../../domain/webhooks/endpoint-fields.ts";
import { validateName } from "../../app/webhooks/endpoint-settings.ts";

export type RequestedDestination = Pick<
  DestinationSettings,
  "name" | "url" | "stream" | "prefix" | "ca"
> & { events: readonly string[]; credentials: Credentials };

/** The changes of a destination. A field that is absent or undefined stays as it is. */
export type DestinationChanges = {
  [Name in keyof RequestedDestination]?: RequestedDestination[Name] | undefined;
};

const TOKEN = String.raw`[\w-]+`;
const STREAM = new RegExp(`^${TOKEN}$`);
const PREFIX = new RegExp(String.raw`^${TOKEN}(?:\.${TOKEN})*$`);

/**
 * Returns the settings as they are stored.
 * @throws AppError validation_failed with all issues
 */
export function parseDestination(
  requested: RequestedDestination,
): Omit<DestinationSettings, "sealed"> {
  const { name, url, stream, prefix, events, ca, credentials } = requested;
  const issue = (code: string, detail: string): ValidationIssue => ({ code, detail });
  const issues = [
    ...validateName(name),
    ...validateUrl(url).map((detail) => issue("url", detail)),
    ...(STREAM.test(stream)
      ? []
      : [issue("stream", "--stream must have only letters, digits, - and _, such as DESKBELL.")]),
    ...(PREFIX.test(prefix)
      ? []
      : [
          issue(
            "prefix",
            "--prefix must be tokens of letters, digits, - and _, joined by dots, such as shop.events.",
          ),
        ]),
    ...validateField("events", events),
    ...(ca === null || ca.includes("-----BEGIN CERTIFICATE-----")
      ? []
      : [issue("ca", "--ca-file must have a certificate in PEM format.")]),
    ...(credentials.kind !== "nkey" || /^SU[A-Z2-7]{56}$/.test(credentials.seed)
      ? []
      : [issue("nkey", "--nkey-file must have the seed of a user's NKey, which begins with SU.")]),
  ];
  if (issues.length > 0)
    throw new AppError("validation_failed", issues.map(({ detail }) => detail).join(" "), {
      issues,
    });
  return {
    name: name.trim(),
    url,
    stream,
    prefix,
    events: [...new Set(events)] as DestinationSettings["events"],
    auth: credentials.kind,
    ca,
  };
}

function validateUrl(text: string): string[] {
  const url = URL.parse(text);
  const isServer = url !== null && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== "";
  if (!isServer) return ["--url must be the URL of a NATS server, such as nats://10.0.0.5:4222."];
  if (url.username !== "" || url.password !== "")
    return ["--url must have no password: name a file with --password-file or --token-file."];
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "")
    return ["--url must have only a host and a port, such as nats://10.0.0.5:4222."];
  return [];
}
