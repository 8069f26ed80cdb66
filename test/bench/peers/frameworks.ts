import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import Database from "better-sqlite3";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";

// A list as it is usually served: read from SQLite and serialised for each request. argv: the framework, a file with the
// answer that is to be given.

type Answer = { data: Record<string, unknown>[] };
const [, , framework = "", answerPath = ""] = process.argv;
const { data, ...rest } = JSON.parse(readFileSync(answerPath, "utf8")) as Answer;

const names = Object.keys(data[0] ?? {});
const db = new Database(":memory:");
db.exec(`CREATE TABLE service (${names.map((name) => `"${name}"`).join(", ")})`);
const insert = db.prepare(`INSERT INTO service VALUES (${names.map(() => "?").join(", ")})`);
// What is no plain value is kept as JSON.
const kept = new Set(
  names.filter((name) => data.some((row) => typeof row[name] !== "string" && typeof row[name] !== "number")),
);
for (const row of data) insert.run(names.map((name) => (kept.has(name) ? JSON.stringify(row[name]) : row[name])));
const all = db.prepare('SELECT * FROM service ORDER BY "sortOrder", "id"');

function answer(): Answer {
  const rows = all.all() as Record<string, string>[];
  const objects = rows.map((row): Record<string, unknown> => {
    const object: Record<string, unknown> = { ...row };
    for (const name of kept) object[name] = JSON.parse(row[name] ?? "null");
    return object;
  });
  return { data: objects, ...rest };
}

const FRAMEWORKS: Record<string, () => Promise<Parameters<typeof createServer>[1]>> = {
  async fastify() {
    const app = fastify();
    app.get("/", () => answer());
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
  async hono() {
    const app = new Hono();
    app.get("/", (context) => context.json(answer()));
    return getRequestListener(app.fetch);
  },
  async express() {
    const app = express();
    app.get("/", (_req, res) => void res.json(answer()));
    return app;
  },
};

const listener = await FRAMEWORKS[framework]?.();
const server = createServer(listener);
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
