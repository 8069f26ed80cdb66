import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { audit } from "../../src/app/audit.ts";
import { createPruner } from "../../src/app/operations/retention.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const DAY = 86_400_000;

function openLog() {
  const rt = createTestRuntime();
  const add = (name: string) =>
    audit(rt, { action: "key.created", subject: { id: null, name }, businessId: null });
  const names = () => rt.store.audit.list({}, 10).map(({ subjectName }) => subjectName);
  return { rt, add, names };
}

test.each([
  "UPDATE audit_entry SET actor_name = 'mallory'",
  "DELETE FROM audit_entry",
  "DELETE FROM audit_entry WHERE at < 9e15",
])("the database rejects %s", (sql) => {
  const { rt, add, names } = openLog();
  add("site");
  const before = rt.store.audit.list({}, 10);
  const db = new Database(rt.config.databasePath);
  expect(() => db.exec(sql)).toThrow(/audit log/);
  db.close();
  expect(rt.store.audit.list({}, 10)).toEqual(before);
  expect(names()).toEqual(["site"]);
});

test("an audit entry that has the ID of another is ignored", () => {
  const { rt, add } = openLog();
  add("site");
  const before = rt.store.audit.list({}, 10);
  rt.store.audit.insert({ ...before[0]!, actorId: "mallory" });
  const db = new Database(rt.config.databasePath);
  db.exec(`
    INSERT OR REPLACE INTO audit_entry SELECT id, at, via, 'mallory', actor_name, address, action,
      subject_id, subject_name, business_id, details FROM audit_entry`);
  db.close();
  expect(rt.store.audit.list({}, 10)).toEqual(before);
});

test("an audit entry is deleted after 400 days, and later entries stay protected", async () => {
  const { rt, add, names } = openLog();
  const prune = createPruner(rt);
  add("old");
  rt.advance(1);
  add("new");
  rt.advance(400 * DAY - 1);
  await prune();
  expect(names()).toEqual(["new", "old"]);
  rt.advance(1);
  await prune();
  expect(names()).toEqual(["new"]);
  expect(() => rt.tx(() => rt.store.audit.deleteBefore(0))).not.toThrow();
  const db = new Database(rt.config.databasePath);
  expect(() => db.exec("DELETE FROM audit_entry")).toThrow(/kept until it expires/);
  db.close();
});
