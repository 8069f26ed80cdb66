import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { EXIT, EXIT_CODE_OF, explainFailure, insertBusiness } from "../../src/cli/failure.ts";
import { AppError, type ErrorCode } from "../../src/domain/errors.ts";
import { listFixesWithSentences } from "../support/fix-texts.ts";

test.each<[ErrorCode, number]>([
  ["usage", 2],
  ["resource_not_found", 3],
  ["business_not_found", 3],
  ["not_permitted", 4],
  ["state_refuses", 5],
  ["busy", 5],
  ["storage_full", 5],
  ["conflict", 5],
  ["invalid_input", 7],
  ["validation_failed", 2],
  ["unsafe_url", 2],
])("the error code %s exits with %i", (code, exitCode) => {
  expect(explainFailure(new AppError(code, "No."), "deskbell")).toEqual({
    text: `error: No. (exit ${exitCode})\n`,
    exitCode,
  });
});

test("each error code maps to a documented exit code", () => {
  expect(new Set(Object.values(EXIT_CODE_OF))).toEqual(new Set([2, 3, 4, 5, 7]));
  expect(EXIT).toMatchObject({
    ok: 0,
    someFailed: 6,
    differences: 8,
    interrupted: 130,
    brokenPipe: 141,
    terminated: 143,
  });
});

test.each(["ENOTDIR", "EISDIR", "ENAMETOOLONG", "ELOOP"])(
  "an unusable path (%s) is a usage error, not a bug",
  (code) => {
    const error = Object.assign(new Error("bad path"), { code, path: "a/b" });
    expect(explainFailure(error, "deskbell")).toEqual({
      text: "error: Cannot use the path a/b: bad path.\nfix: choose another path (exit 2)\n",
      exitCode: 2,
    });
  },
);

test("the text of an error has its message, each issue with its place, and a fix that can be pasted", () => {
  const error = new AppError("invalid_input", "salon.yaml has 2 mistakes.", {
    fix: "edit it, then deskbell catalog apply salon.yaml",
    issues: [
      {
        code: "unknown_field",
        place: "salon.yaml:3:5",
        detail: "'prise' is unknown. Did you mean 'price'?",
      },
      { code: "required", place: "salon.yaml:9:1", detail: "'name' is missing." },
    ],
  });
  expect(explainFailure(error, "npx deskbell").text).toBe(
    [
      "error: salon.yaml has 2 mistakes.",
      "  salon.yaml:3:5  'prise' is unknown. Did you mean 'price'?",
      "  salon.yaml:9:1  'name' is missing.",
      "fix: edit it, then npx deskbell catalog apply salon.yaml (exit 7)",
      "",
    ].join("\n"),
  );
});

test("an issue that repeats the message of its error is not printed again", () => {
  const issues = [{ code: "length", detail: "The name is too long." }];
  const { text } = explainFailure(
    new AppError("invalid_input", "The name is too long.", { issues }),
    "deskbell",
  );
  expect(text).toBe("error: The name is too long. (exit 7)\n");
});

test("the program's name in a fix is replaced in commands, but not in sentences or paths", () => {
  const fix = "stop the other deskbell, or look into /var/lib/deskbell with deskbell doctor";
  expect(
    explainFailure(new AppError("state_refuses", "No.", { fix }), "npx deskbell").text,
  ).toContain("stop the other deskbell, or look into /var/lib/deskbell with npx deskbell doctor");
});

test("a fix names the program only before a command, and never within a sentence", () => {
  expect(listFixesWithSentences()).toEqual([]);
});

test.each([
  ["deskbell menu list", "deskbell menu list --business joes"],
  [
    "end it with deskbell promotions end a, or delete it (deskbell catalog export)",
    "end it with deskbell promotions end a --business joes, or delete it (deskbell catalog export --business joes)",
  ],
  [
    "edit it, then run deskbell catalog apply FILE",
    "edit it, then run deskbell catalog apply FILE",
  ],
])("--business is added to each command of the fix '%s' except catalog apply", (fix, named) => {
  expect(insertBusiness(fix, "joes")).toBe(named);
});

test("control characters in an error are escaped", () => {
  const { text } = explainFailure(
    new AppError("invalid_input", "No \u001b[2J\u202e file."),
    "deskbell",
  );
  expect(text).not.toMatch(/[\u001b\u202e]/);
});

test.each([
  ["ENOSPC", 5],
  ["EIO", 5],
  ["EACCES", 4],
  ["EROFS", 4],
])("the system error %s exits with %i", (code, exitCode) => {
  expect(explainFailure(Object.assign(new Error("x"), { code }), "deskbell").exitCode).toBe(
    exitCode,
  );
});

test.each(["ENOSPC", "EIO", "EACCES"])("the text of the system error %s names the file", (code) => {
  const error = Object.assign(new Error("x"), { code, path: "/data/master.key" });
  expect(explainFailure(error, "deskbell").text).toContain("/data/master.key");
});

test.each(["SQLITE_BUSY_RECOVERY", "SQLITE_FULL", "SQLITE_CORRUPT", "SQLITE_IOERR_READ"])(
  "an uncaught %s of SQLite is explained as a problem of the database, not as a bug",
  (code) => {
    const error = Object.assign(new Error("x"), { name: "SqliteError", code });
    expect(explainFailure(error, "deskbell")).toMatchObject({
      text: expect.stringContaining("the database"),
      exitCode: 5,
    });
  },
);

test("an unexpected error prints its stack and exits with 1", () => {
  const { text, exitCode } = explainFailure(new TypeError("x is not a function"), "deskbell");
  expect(text).toMatch(/a bug[^]+TypeError: x is not a function\n +at [^]+exit 1/);
  expect(exitCode).toBe(1);
  expect(explainFailure("thrown", "deskbell").text).toContain("thrown");
  expect(explainFailure(null, "deskbell").exitCode).toBe(1);
});

test("help exits with 0 if it was requested, and with 2 if a command is missing", () => {
  expect(explainFailure(new CommanderError(0, "commander.helpDisplayed", ""), "deskbell")).toEqual({
    text: "",
    exitCode: 0,
  });
  expect(explainFailure(new CommanderError(1, "commander.help", ""), "deskbell")).toEqual({
    text: "",
    exitCode: 2,
  });
});

test("an error printed as JSON is one line with its code, issues and fix, and has the exit code of the text form", () => {
  const error = new AppError("invalid_input", "salon.yaml has 1 mistake.\u202e", {
    fix: "deskbell catalog diff salon.yaml",
    issues: [{ code: "required", place: "salon.yaml:9:1", detail: "'name' is missing." }],
  });
  const { text, exitCode } = explainFailure(error, "npx deskbell", true);
  expect(exitCode).toBe(7);
  expect(text).toMatch(/^[^\n\u202e]+\n$/);
  expect(JSON.parse(text)).toEqual({
    error: {
      code: "invalid_input",
      message: "salon.yaml has 1 mistake.\u202e",
      issues: [{ code: "required", place: "salon.yaml:9:1", detail: "'name' is missing." }],
      fix: "npx deskbell catalog diff salon.yaml",
    },
  });
  const bug = JSON.parse(explainFailure(new TypeError("x"), "deskbell", true).text);
  expect(bug).toMatchObject({ error: { code: "internal", issues: [{ code: "internal" }] } });
});
