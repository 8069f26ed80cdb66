import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { load } from "js-yaml";

// An import with the least work: parses the file and inserts every object as JSON in one
// transaction.

const [file = "", path = ""] = process.argv.slice(2);
const db = new Database(path);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec("CREATE TABLE objects (id INTEGER PRIMARY KEY, doc TEXT NOT NULL) STRICT");
const insert = db.prepare("INSERT INTO objects (doc) VALUES (?)");

const sections = Object.values(load(readFileSync(file, "utf8")) as object).flatMap(
  (section: object | number) => (Array.isArray(section) ? [section] : Object.values(section)),
);
db.transaction(() => {
  for (const section of sections)
    if (Array.isArray(section)) for (const object of section) insert.run(JSON.stringify(object));
})();
db.close();
