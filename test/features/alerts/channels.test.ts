import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type ConfigFlags, readConfig } from "../../../src/config.ts";
import { createAlertChannels } from "../../../src/features/alerts/channels.ts";
import { type Alert, toAlert } from "../../../src/features/alerts/rules/alert.ts";
import { ALERT_FORMATS, guessAlertFormat } from "../../../src/domain/conditions/alert-url.ts";
import { openCondition } from "../../../src/domain/conditions/registry.ts";
import { startMailServer } from "./mail-server.ts";
import { createReceiver } from "../../support/receiver.ts";

const AT = Date.parse("2026-11-20T12:00:00Z");

function createAlert(status: Alert["status"] = "FIRING", name = "till"): Alert {
  const condition = openCondition(
    "endpoint.failing",
    `the endpoint '${name}' has failed 5 times`,
    "deskbell deliveries list --failed --endpoint whe_1",
    { business: "salon", subject: { id: "whe_1", name, url: "http://10.0.0.1/" } },
  );
  const members = [{ fingerprint: "f", condition, isOpen: true, since: AT, isNew: true }];
  const cause = { fingerprint: "f", isGroup: false, members, since: AT, clearSince: null };
  return toAlert({ ...cause, count: 1, status, alertedAt: AT }, status, AT + 60_000);
}

function openChannel(flags: ConfigFlags, env: NodeJS.ProcessEnv = {}) {
  const { channels, close } = createAlertChannels(readConfig(flags, env).alerts);
  onTestFinished(() => close());
  return channels[0]!;
}

/** Returns the request that an alert sends to a service. */
async function post(alertFormat: string, alert = createAlert()) {
  const operator = await createReceiver();
  await openChannel({ alertUrl: operator.url, alertFormat }).send(alert);
  const [{ headers, body }] = operator.requests as [(typeof operator.requests)[number]];
  return { headers, text: body.toString() };
}

test("an alert as JSON has the fields of this version and of earlier ones", async () => {
  const { headers, text } = await post("json");
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(JSON.parse(text)).toEqual({
    code: "endpoint.failing",
    status: "FIRING",
    severity: "info",
    business: "salon",
    subject: { id: "whe_1", name: "till", url: "http://10.0.0.1/" },
    since: "2026-11-20T12:00:00.000Z",
    fingerprint: "f",
    count: 1,
    message: "the endpoint 'till' has failed 5 times (salon)",
    fix: "deskbell deliveries list --failed --endpoint whe_1",
    at: "2026-11-20T12:01:00.000Z",
    text: "info: the endpoint 'till' has failed 5 times (salon). Fix: deskbell deliveries list --failed --endpoint whe_1",
    type: "endpoint.failing",
    endpoint: { id: "whe_1", name: "till", url: "http://10.0.0.1/" },
  });
  expect(JSON.parse((await post("json", createAlert("RESOLVED"))).text)).toMatchObject({
    type: "endpoint.recovered",
    message: "Resolved: the endpoint 'till' has failed 5 times (salon)",
  });
});

test("Slack, Discord, ntfy and Alertmanager get alerts in their own formats", async () => {
  const line =
    "info: the endpoint 'till' has failed 5 times (salon). Fix: deskbell deliveries list --failed --endpoint whe_1";
  expect(JSON.parse((await post("slack")).text)).toEqual({ text: line });
  expect(JSON.parse((await post("discord")).text)).toEqual({
    content: line,
    allowed_mentions: { parse: [] },
  });
  const ntfy = await post("ntfy");
  expect(ntfy).toMatchObject({
    text: line,
    headers: { title: "deskbell endpoint.failing FIRING", priority: "3", tags: "warning" },
  });
  const labels = {
    alertname: "endpoint.failing",
    severity: "info",
    service: "deskbell",
    business: "salon",
    subject: "whe_1",
    cause: "f",
  };
  const [firing] = JSON.parse((await post("alertmanager")).text);
  expect(firing).toMatchObject({ labels, startsAt: "2026-11-20T12:00:00.000Z" });
  expect(firing).not.toHaveProperty("endsAt");
  const [resolved] = JSON.parse((await post("alertmanager", createAlert("RESOLVED"))).text);
  expect(resolved).toMatchObject({ labels, endsAt: "2026-11-20T12:01:00.000Z" });
});

test("the links of an alert become buttons in ntfy, links in Slack and Discord, and fields in JSON", async () => {
  const url = "https://desk.example.com/b/salon/alert-links/deskbell_al_0";
  const links = { accept: `${url}/accept`, decline: `${url}/decline` };
  const alert = { ...createAlert(), links };
  const { headers } = await post("ntfy", alert);
  expect(JSON.parse(String(headers["actions"]))).toEqual([
    { action: "view", label: "Accept", url: links.accept },
    { action: "view", label: "Decline", url: links.decline },
  ]);
  const { text, unfurl_links: unfurls } = JSON.parse((await post("slack", alert)).text);
  expect(text).toContain(`whe_1 <${links.accept}|Accept> <${links.decline}|Decline>`);
  expect(unfurls).toBe(false);
  const { content } = JSON.parse((await post("discord", alert)).text);
  expect(content).toContain(`whe_1 [Accept](<${links.accept}>) [Decline](<${links.decline}>)`);
  expect(JSON.parse((await post("json", alert)).text)).toMatchObject({ links });
  expect((await post("alertmanager", alert)).text).not.toContain(url);
  const { mails, port } = await startMailServer();
  const flags = { alertMail: "ada@example.com" };
  await openChannel(flags, { DESKBELL_SMTP_URL: `smtp://127.0.0.1:${port}` }).send(alert);
  const mail = (mails[0] ?? "").replaceAll("=\r\n", "").replaceAll("\r\n", "\n");
  expect(mail).toContain(`\nAccept: ${links.accept}\nDecline: ${links.decline}\n`);
});

test.each([
  ["https://hooks.slack.com/services/T0/B0/x", "slack"],
  ["https://discord.com/api/webhooks/1/x/slack", "slack"],
  ["https://discord.com/api/webhooks/1/x", "discord"],
  ["https://ntfy.sh/salon", "ntfy"],
  ["http://127.0.0.1:9093/api/v2/alerts", "alertmanager"],
  ["https://mattermost.example.com/hooks/x", "json"],
])("the alert format guessed for %s is %s", (url, format) =>
  expect(guessAlertFormat(url)).toBe(format),
);

test("an endpoint's name cannot mention, link, format or hide anything in an alert", async () => {
  const name =
    "<!channel> <http://1.2.3.4|log in> @everyone [log in](https://evil.example/a) &lt;@U1&gt;\u001b[2J\n\u202e";
  for (const format of ALERT_FORMATS) {
    const { text } = await post(format, createAlert("FIRING", name));
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]|\\u|\\n/u);
    const { text: shown = "", content = "" } = format === "ntfy" ? { text } : JSON.parse(text);
    expect(shown + content).not.toMatch(/[<>@[\]&]|:\/\/|evil\.example/);
  }
});

test("a mail password is sent without TLS only with --allow-plaintext or to loopback", async () => {
  const { mails, passwords, port } = await startMailServer({ hasAuth: true });
  // 0.0.0.0 reaches this machine, but is not recognised as loopback.
  const openMail = (host: string, allowPlaintext = false) =>
    openChannel(
      { alertMail: "ada@example.com", allowPlaintext },
      { DESKBELL_SMTP_URL: `smtp://ada%40example.com:secret@${host}:${port}` },
    );
  const refused = "the mail server has no TLS, so its password is not sent";
  await expect(openMail("0.0.0.0").send(createAlert())).rejects.toThrow(refused);
  await expect(openMail("0.0.0.0").check?.()).rejects.toThrow(refused);
  expect([mails, passwords]).toEqual([[], []]);
  await openMail("0.0.0.0", true).send(createAlert());
  await openMail("127.0.0.1").send(createAlert());
  expect(openMail("127.0.0.1").check).toBeUndefined();
  expect([mails.length, passwords]).toEqual([2, ["secret", "secret"]]);
});

test("the error about a mail server that answers STARTTLS in plain text says what to do", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {}).write("220 mail\r\n");
    socket.on("data", (data) => {
      const [command = ""] = data.toString("latin1").split(/\W/);
      const isHello = command === "EHLO";
      socket.write(isHello ? "250-mail\r\n250 STARTTLS\r\n" : "220 go ahead in plain text\r\n");
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const env = { DESKBELL_SMTP_URL: `smtp://127.0.0.1:${port}` };
  const channel = openChannel({ alertMail: "ada@example.com" }, env);
  await expect(channel.send(createAlert())).rejects.toThrow(
    "the mail server announces STARTTLS but does not answer with TLS: use smtps:// with its port for TLS, or repair the server",
  );
});

test("an alert by mail has the message, the fix and the fields in plain text", async () => {
  const { mails, url } = await startMailServer();
  const env = { DESKBELL_SMTP_URL: url };
  await openChannel({ alertMail: "ada@example.com,bob@example.com" }, env).send(createAlert());
  expect(mails).toHaveLength(1);
  const mail = mails[0]!.replaceAll("=\r\n", "");
  expect(mail).toMatch(/^To: ada@example\.com, bob@example\.com\r?$/m);
  expect(mail).toMatch(/^From: ada@example\.com\r?$/m);
  expect(mail).toMatch(/^Subject: \[deskbell\] info: the endpoint 'till' has failed 5 times/m);
  expect(mail).toContain("Fix: deskbell deliveries list --failed");
  expect(mail).toMatch(/^code: endpoint\.failing\r\nstatus: FIRING\r\nseverity: info\r$/m);
});

test("a channel throws the reason why an alert was not accepted", async () => {
  const operator = await createReceiver([{ status: 302 }]);
  const toUrl = openChannel({ alertUrl: operator.url });
  await expect(toUrl.send(createAlert())).rejects.toThrow("HTTP 302");
  const { url } = await startMailServer();
  const toMail = openChannel({ alertMail: "nobody@example.com" }, { DESKBELL_SMTP_URL: url });
  await expect(toMail.send(createAlert())).rejects.toThrow("no such user");
});

test("an alert by mail names the recipients that the mail server refuses", async () => {
  const { mails, url } = await startMailServer();
  const toMail = openChannel(
    { alertMail: "ada@example.com,nobody@example.com" },
    { DESKBELL_SMTP_URL: url },
  );
  expect(await toMail.send(createAlert())).toBe(
    "the mail server refuses nobody@example.com; the other addresses get the mail",
  );
  expect(mails).toHaveLength(1);
});

test("invalid settings of alerts are rejected", () => {
  const read =
    (flags: ConfigFlags, env = {}) =>
    () =>
      readConfig(flags, env);
  expect(read({ alertUrl: "slack" })).toThrow("--alert-url must be an http or https URL");
  expect(read({ heartbeatUrl: "x" })).toThrow("--heartbeat-url must be");
  expect(read({}, { DESKBELL_ALERT_FORMAT: "sms" })).toThrow("--alert-format must be json, slack");
  expect(read({ alertMail: "a@b.example" })).toThrow("--alert-mail needs a mail server");
  expect(read({}, { DESKBELL_SMTP_URL: "mail.example.com" })).toThrow("must be an smtp or smtps");
  expect(read({ smtpUrlFile: "/nowhere" })).toThrow("--smtp-url-file: /nowhere is empty");
  const env = { DESKBELL_ALERT_URL: "https://ntfy.sh/desk" };
  expect(readConfig({}, env).alerts.url).toBe("https://ntfy.sh/desk");
});
