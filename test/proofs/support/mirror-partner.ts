import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import {
  type ClientOptions,
  createClient,
  createMirror,
  verifyWebhook,
} from "../../../src/client/index.ts";

/** The program of a partner: it keeps a mirror in SQLite, and receives webhooks. */
export function startPartner(options: ClientOptions, secrets: readonly string[], file: string) {
  const db = new DatabaseSync(file);
  db.exec(
    "CREATE TABLE IF NOT EXISTS mirror (list TEXT, id TEXT, value TEXT, PRIMARY KEY (list, id))",
  );
  const select = db.prepare("SELECT id, value FROM mirror WHERE list = ?");
  const insert = db.prepare("INSERT OR REPLACE INTO mirror VALUES (?, ?, ?)");
  const storage = {
    load: (list: string) => select.all(list) as { id: string; value: string }[],
    save(entries: readonly { list: string; id: string; value: string | null }[]) {
      db.exec("BEGIN");
      for (const { list, id, value } of entries) insert.run(list, id, value);
      db.exec("DELETE FROM mirror WHERE value IS NULL; COMMIT");
    },
  };
  const mirror = createMirror({ client: createClient(options), storage, intervalSeconds: 0 });
  const server = createServer(async (request, response) => {
    const header = String(request.headers["x-service-signature"]);
    const event = await verifyWebhook({
      body: await buffer(request),
      header,
      secret: secrets,
    }).catch(() => undefined);
    response.writeHead(event ? 204 : 400).end();
    if (event) mirror.sync().catch(() => {});
  }).listen(0, "127.0.0.1");
  return { mirror, server, db };
}
