import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import type { IncomingMessage } from "node:http";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../src/http/server.ts";
import { readCertificate, type TlsFiles } from "../../../src/http/transport/tls.ts";
import { createTempFolder } from "../../support/cli.ts";
import { type Certificate, createAuthority, hasOpenssl } from "../../support/hostile/tls.ts";
import { createTestApi, SALON } from "../support/api.ts";

const NAME = "api.example.ch";
const DAY_MS = 86_400_000;

/** Creates a certificate authority, and returns the paths of a server's certificate files. */
function createCertificateFiles() {
  const folder = createTempFolder();
  const authority = createAuthority(folder);
  const files = { cert: join(folder, "served.pem"), key: join(folder, "served.key") };
  const writeFiles = ({ cert, key }: Certificate) => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  return { folder, authority, files, writeFiles };
}

async function serve() {
  const setup = createCertificateFiles();
  setup.writeFiles(setup.authority.issue(NAME, { from: -1, to: 90 }));
  const api = createTestApi();
  const server = await startServer(api, { host: "127.0.0.1", port: 0, tls: setup.files });
  onTestFinished(() => server.close());
  const trusting = {
    host: "127.0.0.1",
    port: server.port,
    servername: NAME,
    ca: setup.authority.certificate,
  };
  const ask = async (
    path: string,
    agent?: Agent,
  ): Promise<IncomingMessage & { socket: TLSSocket }> => {
    const request = get({
      ...trusting,
      path,
      agent,
      headers: { authorization: `Bearer ${api.key}` },
    });
    const [response] = (await once(request, "response")) as [
      IncomingMessage & { socket: TLSSocket },
    ];
    return response;
  };
  return { ...setup, api, server, trusting, ask };
}

const serialOf = ({ socket }: { socket: TLSSocket }): string =>
  socket.getPeerCertificate().serialNumber;

describe.skipIf(!hasOpenssl())("with certificates created by openssl,", () => {
  test("the API is served over TLS, and its URL starts with https", async () => {
    const { server, ask } = await serve();
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    const response = await ask(`/v1/businesses/${SALON}/services`);
    expect(response.statusCode).toBe(200);
    expect(await text(response)).toContain('"priceCents"');
    const notFound = await ask("/nowhere");
    expect(notFound.statusCode).toBe(404);
    notFound.resume();
  });

  test("a reloaded certificate is used for new connections, and open ones stay open", async () => {
    const { server, writeFiles, authority, ask } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const before = await ask("/healthz", agent);
    const [serial, socket] = [serialOf(before), before.socket];
    await text(before);
    writeFiles(authority.issue(NAME, { from: -1, to: 30 }));
    server.reloadCertificate();
    const kept = await ask("/healthz", agent);
    expect(kept.socket).toBe(socket);
    await text(kept);
    const fresh = await ask("/healthz");
    expect(fresh.statusCode).toBe(200);
    expect(serialOf(fresh)).not.toBe(serial);
    await text(fresh);
  });

  test.each([
    {
      bad: "incomplete",
      breakFile: ({ cert }: TlsFiles) =>
        writeFileSync(cert, "-----BEGIN CERTIFICATE-----\nhalf written"),
      reason: /served\.pem does not start with a certificate\.$/,
    },
    {
      bad: "a symbolic link to itself",
      breakFile: ({ key }: TlsFiles) => {
        rmSync(key);
        symlinkSync(key, key);
      },
      reason: /served\.key cannot be read: too many symbolic links/,
    },
  ])(
    "a new file that is $bad keeps the old certificate in use, and the log has a fix",
    async (file) => {
      const { api, server, files, ask } = await serve();
      const before = await ask("/healthz");
      const serial = serialOf(before);
      await text(before);
      file.breakFile(files);
      server.reloadCertificate();
      const after = await ask("/healthz");
      expect(serialOf(after)).toBe(serial);
      await text(after);
      expect(api.logged.filter(({ level }) => level === "error")).toEqual([
        {
          level: "error",
          message: "could not load the new certificate; the old one stays in use",
          fields: {
            reason: expect.stringMatching(file.reason),
            fix: expect.stringMatching(/^(pass|check).*; then send SIGHUP again$/),
          },
        },
      ]);
    },
  );

  test.each([
    { ends: "in ninety days", days: 90, level: "info", message: "certificate" },
    {
      ends: "in ten days",
      days: 10,
      level: "warn",
      message: expect.stringContaining("expires soon"),
    },
    { ends: "yesterday", days: -1, level: "error", message: expect.stringContaining("expired") },
  ])(
    "a certificate whose validity ends $ends is logged as $level",
    async ({ days, level, message }) => {
      const api = createTestApi();
      const setup = createCertificateFiles();
      const to = (api.now() - Date.now()) / DAY_MS + days + 0.5;
      setup.writeFiles(setup.authority.issue(NAME, { from: to - 100, to }));
      const server = await startServer(api, { host: "127.0.0.1", port: 0, tls: setup.files });
      onTestFinished(() => server.close());
      const expires = expect.stringMatching(/^20\d\d-\d\d-.*Z$/);
      expect(api.logged).toEqual([
        { level, message, fields: { names: `DNS:${NAME}`, expires, days } },
      ]);
    },
  );

  test("a client without TLS, or with an unfinished handshake, is disconnected", async () => {
    const { server, ask } = await serve();
    const plain = connectPlain(server.port, "127.0.0.1");
    plain.on("error", () => {});
    plain.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    const silent = connectPlain(server.port, "127.0.0.1");
    silent.on("error", () => {});
    silent.write(Buffer.from([0x16, 0x03, 0x01]));
    plain.resume();
    silent.resume();
    await Promise.all([once(plain, "close"), once(silent, "close")]);
    expect((await ask("/healthz")).resume().statusCode).toBe(200);
  });

  test("TLS versions before 1.2 are not supported", async () => {
    const { trusting } = await serve();
    const old = connect({ ...trusting, minVersion: "TLSv1", maxVersion: "TLSv1.1" });
    await expect(once(old, "secureConnect")).rejects.toThrow();
  });

  const INVALID_FILES: [
    string,
    (setup: ReturnType<typeof createCertificateFiles>) => void,
    object,
  ][] = [
    [
      "a missing certificate file",
      ({ files }) => (files.cert += ".none"),
      { code: "resource_not_found", message: expect.stringContaining("for the certificate") },
    ],
    [
      "a missing key file",
      ({ files }) => (files.key += ".none"),
      { code: "resource_not_found", message: expect.stringContaining("for the private key") },
    ],
    [
      "a folder as the key file",
      ({ files }) => {
        mkdirSync((files.key = `${files.key}.d`));
      },
      { code: "usage", message: expect.stringContaining("is a folder") },
    ],
    [
      "the key of another certificate",
      ({ files, authority }) => writeFileSync(files.key, authority.issue("other.example.ch").key),
      {
        code: "invalid_input",
        message: expect.stringContaining("does not belong to the certificate"),
      },
    ],
    [
      "an encrypted key",
      ({ files }) =>
        writeFileSync(
          files.key,
          "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        ),
      { code: "invalid_input", message: expect.stringContaining("private key") },
    ],
    [
      "certificate and key swapped",
      ({ files }) => ([files.cert, files.key] = [files.key, files.cert]),
      {
        code: "invalid_input",
        message: expect.stringContaining("does not start with a certificate"),
      },
    ],
    [
      "a certificate in DER format",
      ({ files }) => writeFileSync(files.cert, Buffer.from([0x30, 0x82, 1, 2])),
      { code: "invalid_input", message: expect.stringContaining("is not a PEM file") },
    ],
  ];

  test.each(INVALID_FILES)("%s is rejected with a fix", (_, breakFile, error) => {
    const setup = createCertificateFiles();
    setup.writeFiles(setup.authority.issue(NAME));
    breakFile(setup);
    expect(() => readCertificate(setup.files)).toThrow(
      expect.objectContaining({ ...error, fix: expect.stringMatching(/\w/) }),
    );
  });

  test("text before the PEM block of a certificate is ignored, and the whole chain is served", async () => {
    const setup = createCertificateFiles();
    const { cert, key } = setup.authority.issue(NAME);
    setup.writeFiles({
      cert: Buffer.from(`Bag Attributes\n${cert}${setup.authority.certificate}`),
      key,
    });
    const server = await startServer(createTestApi(), {
      host: "127.0.0.1",
      port: 0,
      tls: setup.files,
    });
    onTestFinished(() => server.close());
    const socket = connect({
      port: server.port,
      servername: NAME,
      ca: setup.authority.certificate,
    });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    expect(socket.getPeerCertificate(true).issuerCertificate.subject.CN).toBe("authority");
    socket.destroy();
  });

  test.skipIf(process.getuid?.() === 0)(
    "a TLS key file without read permission is rejected",
    () => {
      const setup = createCertificateFiles();
      setup.writeFiles(setup.authority.issue(NAME));
      chmodSync(setup.files.key, 0);
      expect(() => readCertificate(setup.files)).toThrow(
        expect.objectContaining({ code: "not_permitted" }),
      );
    },
  );
});
