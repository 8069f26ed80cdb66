import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * What the server does with a mail. `refuse`: responds with a line to the command. `hang`: does not
 * respond. `hang up`: takes the mail and closes the connection without a response.
 */
export type MailBehaviour =
  | { do: "accept" }
  | { do: "refuse"; at: "greeting" | "MAIL" | "RCPT" | "DATA"; line: string }
  | { do: "hang"; at: "greeting" | "RCPT" | "DATA" }
  | { do: "hang up" };

export type ReceivedMail = {
  from: string;
  to: string[];
  raw: string;
  /** Whether the server has responded that it accepts the mail. */
  isAccepted: boolean;
};

export type MailServer = {
  url: string;
  mails: ReceivedMail[];
  /** Addresses that were named as recipients. */
  asked: string[];
  /** Sets what happens to the next mails; the last behaviour repeats. */
  script: (...next: MailBehaviour[]) => void;
  /** Called when a mail is complete, before the response to it. */
  onMail: (act: (mail: ReceivedMail) => void | Promise<void>) => void;
  /** Resolves when a command has been left without a response. */
  hanging: () => Promise<void>;
  /** Makes a command that hangs get the response that it would have got. */
  resume: () => void;
  /** Closes the port and all connections. */
  down: () => Promise<void>;
  /** Listens on the same port again. */
  up: () => Promise<void>;
};

/** Starts a small mail server (RFC 5321) on loopback, without TLS, which tests script. */
export async function startScriptedMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let behaviours: MailBehaviour[] = [{ do: "accept" }];
  let act: (mail: ReceivedMail) => void | Promise<void> = () => {};
  let held: (() => void) | undefined;
  let isHanging = Promise.withResolvers<void>();
  let server: Server | undefined;
  let port = 0;

  const take = (): MailBehaviour =>
    (behaviours.length > 1 ? behaviours.shift() : behaviours[0]) ?? { do: "accept" };

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    const [first = { do: "accept" }] = behaviours;
    const send = (line: string): void => void (socket.writable && socket.write(`${line}\r\n`));
    /** Responds to a command and then calls `then`, unless the script says otherwise. */
    const respond = (behaviour: MailBehaviour, at: string, line: string, then = () => {}): void => {
      if (behaviour.do === "refuse" && behaviour.at === at) return send(behaviour.line);
      const answer = (): void => {
        send(line);
        then();
      };
      if (behaviour.do !== "hang" || behaviour.at !== at) return answer();
      held = answer;
      isHanging.resolve();
    };
    let current: MailBehaviour = { do: "accept" };
    let mail: ReceivedMail = { from: "", to: [], raw: "", isAccepted: false };
    let isData = false;
    let buffer = "";
    respond(first, "greeting", "220 mail.test ESMTP");
    if (first.do === "refuse" && first.at === "greeting") return void socket.end();

    async function finish(): Promise<void> {
      mails.push(mail);
      const done = mail;
      await act(done);
      if (current.do === "hang up") return void socket.destroy();
      respond(current, "DATA", "250 2.0.0 accepted", () => (done.isAccepted = true));
    }

    function handle(line: string): void {
      const [, verb = "", argument = ""] = /^(\w+) ?(.*)$/.exec(line) ?? [];
      const address = /<([^>]*)>/.exec(argument)?.[1] ?? "";
      switch (verb.toUpperCase()) {
        case "EHLO":
          return send("250-mail.test\r\n250-SMTPUTF8\r\n250 8BITMIME");
        case "MAIL":
          current = take();
          mail = { from: address, to: [], raw: "", isAccepted: false };
          return respond(current, "MAIL", "250 2.1.0 sender");
        case "RCPT":
          asked.push(address);
          mail.to.push(address);
          return respond(current, "RCPT", "250 2.1.5 recipient");
        case "DATA":
          isData = true;
          return send("354 go ahead");
        case "QUIT":
          send("221 bye");
          return void socket.end();
        default:
          return send(verb.toUpperCase() === "RSET" ? "250 reset" : "500 unknown");
      }
    }

    socket.on("data", (chunk) => {
      buffer += chunk.toString("utf8");
      for (;;) {
        const mark = isData ? "\r\n.\r\n" : "\r\n";
        const end = buffer.indexOf(mark);
        if (end < 0) return;
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + mark.length);
        if (!isData) {
          handle(text);
          continue;
        }
        isData = false;
        mail.raw = text.replaceAll(/^\.\./gm, ".");
        void finish();
      }
    });
  }

  async function up(): Promise<void> {
    server = createServer(serve).listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  }
  async function down(): Promise<void> {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    for (const socket of sockets) socket.destroy();
    await new Promise<unknown>((resolve) => closing.close(resolve));
  }

  await up();
  onTestFinished(down);
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    asked,
    script: (...next) => void (behaviours = next),
    onMail: (next) => void (act = next),
    hanging: async () => {
      await isHanging.promise;
      isHanging = Promise.withResolvers<void>();
    },
    resume: () => {
      held?.();
      held = undefined;
    },
    down,
    up,
  };
}

/** A part of a mail (RFC 2045), with its decoded text; the parts of a multipart follow it. */
export type MailPart = { headers: Map<string, string>; text: string };

/** Reads a mail without the code that has written it. */
export function parseMail(raw: string): { headers: Map<string, string>; parts: MailPart[] } {
  const [root, ...rest] = parsePart(raw);
  if (root === undefined) throw new Error("The mail is empty.");
  return { headers: root.headers, parts: [root, ...rest] };
}

function parsePart(raw: string): MailPart[] {
  const end = raw.indexOf("\r\n\r\n");
  const headers = new Map<string, string>();
  for (const line of raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim()));
  }
  const body = raw.slice(end + 4);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type") ?? "")?.[1];
  if (boundary === undefined)
    return [{ headers, text: decodeBody(body, headers.get("content-transfer-encoding")) }];
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
  return [
    { headers, text: "" },
    ...pieces.flatMap((piece) => parsePart(piece.replace(/^\r\n/, ""))),
  ];
}

function decodeBody(body: string, encoding = "7bit"): string {
  if (encoding.toLowerCase() === "base64") return Buffer.from(body, "base64").toString();
  if (encoding.toLowerCase() !== "quoted-printable") return body;
  return decodeQuoted(body.replaceAll(/=\r\n/g, ""));
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    "latin1",
  ).toString("utf8");

/** Decodes the words of a header (RFC 2047). */
const decodeWords = (value: string): string =>
  value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString()
        : decodeQuoted(text.replaceAll("_", " ")),
    );

/** Returns the text of the first part with a type. */
export const partOf = (raw: string, type: string): string =>
  parseMail(raw).parts.find(({ headers }) => headers.get("content-type")?.startsWith(type))?.text ??
  "";
