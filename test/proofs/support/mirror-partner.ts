import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import * as deskbell from "../../../src/client/index.ts";

/** The program of a partner: a mirror in SQLite, and a receiver of webhooks. */
export function startPartner(options: deskbell.ClientOptions, secret: string[], file: string) {
  const db = new DatabaseSync(file);
  db.exec("CREATE TABLE IF NOT EXISTS mirror (list, id, value, PRIMARY KEY (list, id))");
  const select = db.prepare("SELECT id, value FROM mirror WHERE list = ?");
  const insert = db.prepare("INSERT OR REPLACE INTO mirror VALUES (?, ?, ?)");
  const storage: deskbell.MirrorStorage = {
    load: (list) => select.all(list) as { id: string; value: string }[],
    save(entries) {
      db.exec("BEGIN");
      for (const { list, id, value } of entries) insert.run(list, id, value);
      db.exec("DELETE FROM mirror WHERE value IS NULL; COMMIT");
    },
  };
  const client = deskbell.createClient(options);
  const mirror = deskbell.createMirror({ client, storage, intervalSeconds: 0 });
  const server = createServer(async (request, response) => {
    const [body, header] = [await buffer(request), String(request.headers["x-service-signature"])];
    const event = await deskbell.verifyWebhook({ body, header, secret }).catch(() => undefined);
    response.writeHead(event ? 204 : 400).end();
    if (event) mirror.sync().catch(() => {}); // The next webhook or the hourly call tries again.
  }).listen(0, "127.0.0.1");
  return { mirror, server, db };
}
