import { ALERT_FORMATS } from "../domain/conditions/alert-url.ts";
import { choice, text, toggle } from "./flags.ts";

/** The alert flags of `serve`, `alerts test` and `alerts send`. */
export const ALERT_FLAGS = {
  alertUrl: text(
    "url",
    "send alerts to this URL as a POST: Slack, Discord, ntfy, Alertmanager, or any JSON receiver",
  ),
  alertFormat: choice(
    ALERT_FORMATS,
    "format of these alerts (default: the one that the service at the URL expects, else json)",
  ),
  alertMail: text("to", "send alerts by mail to these addresses, separated by commas"),
  smtpUrlFile: text(
    "file",
    "file with the URL of the mail server, such as smtps://user:password@mail.example.com",
  ),
  heartbeatUrl: text(
    "url",
    "request this URL each minute while the daemon works, for a service that notices its silence",
  ),
  allowPlaintext: toggle(
    "send the passwords of mail and NATS servers also without TLS (env: DESKBELL_ALLOW_PLAINTEXT=1)",
  ),
};
