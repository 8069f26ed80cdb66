import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { onTestFinished } from "vitest";

/**
 * Starts a mail server that keeps all mails, and rejects recipients called `nobody`.
 * @param hasAuth whether it requires a login; it accepts and keeps every password
 */
export async function startMailServer({ hasAuth = false } = {}) {
  const mails: string[] = [];
  const passwords: string[] = [];
  const server = new SMTPServer({
    disabledCommands: hasAuth ? ["STARTTLS"] : ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    allowInsecureAuth: true,
    onAuth({ username = "", password = "" }, _session, done) {
      passwords.push(password ?? "");
      done(null, { user: username });
    },
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("nobody") ? new Error("no such user") : undefined),
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push(Buffer.concat(chunks).toString());
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  return { mails, passwords, port, url: `smtp://127.0.0.1:${port}` };
}
