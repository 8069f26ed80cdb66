import { hash } from "node:crypto";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import Database from "better-sqlite3";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";

// Serves GET /services as servers usually implement it: each request looks up the key, counts its
// rate limit, reads the list from SQLite, serialises it and hashes it for the ETag. Arguments: the
// framework, a file with the expected response, the key.

type ListResponse = { data: Record<string, unknown>[]; meta: { business: { slug: string } } };
type SimpleResponse = { status: number; headers: Record<string, string>; body: string };

const [, , framework = "", responsePath = "", apiKey = ""] = process.argv;
const { data, ...rest } = JSON.parse(readFileSync(responsePath, "utf8")) as ListResponse;
const names = Object.keys(data[0] ?? {});
// Columns other than text and numbers are stored as JSON.
const jsonColumns = names.filter((name) =>
  data.some((row) => typeof row[name] !== "string" && typeof row[name] !== "number"),
);

const db = new Database(":memory:");
db.exec(`
  CREATE TABLE business (id INTEGER PRIMARY KEY, slug TEXT UNIQUE);
  CREATE TABLE api_key (hash BLOB PRIMARY KEY, business INTEGER, scopes TEXT, per_minute INTEGER) WITHOUT ROWID;
  CREATE TABLE service (business INTEGER, ${names.map((name) => `"${name}"`).join(", ")});
  CREATE INDEX service_business ON service (business, "sortOrder", "id")`);
db.prepare("INSERT INTO business VALUES (1, ?)").run(rest.meta.business.slug);
db.prepare("INSERT INTO api_key VALUES (?, 1, ?, ?)").run(
  hash("sha256", apiKey, "buffer"),
  '["services.read"]',
  1e9,
);
const insert = db.prepare(`INSERT INTO service VALUES (1, ${names.map(() => "?").join(", ")})`);
for (const row of data)
  insert.run(
    names.map((name) =>
      jsonColumns.includes(name) ? JSON.stringify(row[name]) : (row[name] as string),
    ),
  );

const findKey = db.prepare(`
  SELECT business, slug, scopes, per_minute AS perMinute FROM api_key JOIN business ON business.id = business WHERE hash = ?`);
const list = db.prepare(
  `SELECT ${names.map((name) => `"${name}"`).join(", ")} FROM service WHERE business = ? ORDER BY "sortOrder", "id"`,
);
const windows = new Map<string, { minute: number; count: number }>();

function respond(slug: string, authorization = "", ifNoneMatch?: string): SimpleResponse {
  const digest = hash("sha256", authorization.slice("Bearer ".length), "buffer");
  const key = findKey.get(digest) as
    | { business: number; slug: string; scopes: string; perMinute: number }
    | undefined;
  if (!key) return { status: 401, headers: {}, body: "" };
  if (key.slug !== slug || !(JSON.parse(key.scopes) as string[]).includes("services.read"))
    return { status: 403, headers: {}, body: "" };
  const client = digest.toString("hex");
  const minute = Math.floor(Date.now() / 60_000);
  const before = windows.get(client);
  const count = before?.minute === minute ? before.count + 1 : 1;
  windows.set(client, { minute, count });
  if (count > key.perMinute) return { status: 429, headers: {}, body: "" };

  const rows = list.all(key.business) as Record<string, string>[];
  const objects = rows.map((row) => {
    const object: Record<string, unknown> = { ...row };
    for (const name of jsonColumns) object[name] = JSON.parse(row[name] ?? "null");
    return object;
  });
  const body = JSON.stringify({ data: objects, ...rest });
  const headers = {
    etag: `"${hash("sha1", body, "base64")}"`,
    "cache-control": "private, no-cache",
    ratelimit: `"per-minute";r=${key.perMinute - count};t=60`,
    "content-type": "application/json",
  };
  return headers.etag === ifNoneMatch
    ? { status: 304, headers, body: "" }
    : { status: 200, headers, body };
}

const PATH = "/v1/businesses/:slug/services";

const FRAMEWORKS: Record<string, () => Promise<Parameters<typeof createServer>[1]>> = {
  async fastify() {
    const app = fastify();
    app.get(PATH, (request, response) => {
      const { slug } = request.params as { slug: string };
      const { status, headers, body } = respond(
        slug,
        request.headers.authorization,
        request.headers["if-none-match"],
      );
      return response.status(status).headers(headers).send(body);
    });
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
  async hono() {
    const app = new Hono();
    app.get(PATH, ({ req }) => {
      const { status, headers, body } = respond(
        req.param("slug"),
        req.header("authorization"),
        req.header("if-none-match"),
      );
      return new Response(body, { status, headers });
    });
    return getRequestListener(app.fetch);
  },
  async express() {
    const app = express();
    app.get(PATH, (req, res) => {
      const { status, headers, body } = respond(
        req.params.slug,
        req.headers.authorization,
        req.headers["if-none-match"],
      );
      res.status(status).set(headers).send(body);
    });
    return app;
  },
};

const server = createServer(await FRAMEWORKS[framework]?.());
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
