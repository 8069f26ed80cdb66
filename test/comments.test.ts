import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { expect, test } from "vitest";

// These tests check the prose of the sources: comments, test names and commit subjects. A sentence
// that begins with a preposition or a pronoun has its subject elsewhere, and stops readers of one
// file.

const ROOT = resolve(import.meta.dirname, "..");

/** Words that begin a sentence without a noun of its own as its subject. */
const WITHOUT_NOUN =
  /^(?:of|as|by|for|in|without|those|that of|the same|also|only|not)(?=\s|$|[,:;])/;
/** Pronouns, which refer to nothing if they begin a comment. */
const PRONOUN =
  /^(?:(?:it|its|they|their|such as)|(?:this|these|that|both|one) (?:is|are|was|were|has|have|can|cannot|may|must|does|do|will|would|that))\b/;
/**
 * Verbs that begin a test name without a subject. The subject would be in the `describe` around the
 * test, which a reader of the name does not see.
 */
const VERB = /^(?:is|are|was|were|has|have|does|do|can|cannot|must|may)\b/;
/** A second imperative in the subject of a commit; words that are also nouns are not listed. */
const SECOND_VERB =
  / and (?:add|delete|describe|explain|fix|keep|let|make|mend|prove|refuse|reject|remove|rename|say|tell|use)\b/i;
/** The last commit before subjects were checked. */
const UNCHECKED = "e790e7c55f15cb50a5274352ad9b9d0f45251a71";

const SENTENCE_END = /(?<=[.!?]["'`)]*)\s+(?=["'`(]?[A-Z])/g;
const PARAGRAPH_START = /^(?:@|- |\d+\. )/;
const LIST_ITEM = /^(?:- |\d+\. )/;

type Text = { line: number; text: string };
type Source = { path: string; text: string };

/** The sources, without those that the build generates. */
const sources: Source[] = ["src", "bin", ".config", "test"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:tsx?|m?js)$/.test(path) && !/node_modules|client\/generated/.test(path))
    .map((path) => join(ROOT, folder, path))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, "utf8") })),
);

/** Returns the comments of a file; line comments below each other are one. */
function listComments({ path, text }: Source): Text[] {
  const comments: Text[] = [];
  let endOfLast = -1;
  for (const { type, value, start, end } of parseSync(path, text).comments) {
    const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    const isOwnLine = type === "Line" && before.trim() === "";
    const last = comments.at(-1);
    if (isOwnLine && last !== undefined && /^\r?\n[ \t]*$/.test(text.slice(endOfLast, start)))
      last.text += `\n${value}`;
    else comments.push({ line: text.slice(0, start).split("\n").length, text: value });
    endOfLast = isOwnLine ? end : Infinity;
  }
  return comments;
}

/** Returns the sentences of each paragraph of a comment, with the lines on which they begin. */
function listSentences(comment: Text): Text[][] {
  const paragraphs: Text[] = [];
  let isOpen = false;
  for (const [index, raw] of comment.text.split("\n").entries()) {
    const text = raw.replace(/^\s*\*?\s*/, "").trim();
    const last = paragraphs.at(-1);
    if (isOpen && last !== undefined && text !== "" && !PARAGRAPH_START.test(text))
      last.text += `\n${text}`;
    else if (text !== "")
      paragraphs.push({ line: comment.line + index, text: text.replace(LIST_ITEM, "") });
    isOpen = text !== "";
  }
  return paragraphs.map(({ line, text }) => {
    let from = 0;
    return text.split(SENTENCE_END).map((sentence) => {
      from = text.indexOf(sentence, from);
      const lineOfSentence = line + text.slice(0, from).split("\n").length - 1;
      return { line: lineOfSentence, text: sentence.replaceAll("\n", " ") };
    });
  });
}

/**
 * Returns whether a sentence lacks a noun as its subject; names in capitals, such as ONLY, are
 * nouns.
 */
function hasNoSubject(sentence: string, isFirst: boolean): boolean {
  const text = sentence.charAt(0).toLowerCase() + sentence.slice(1);
  return WITHOUT_NOUN.test(text) || (isFirst && PRONOUN.test(text));
}

/** Returns the sentences of comments that have no noun of their own as their subject. */
const listWithoutNoun = (source: Source): string[] =>
  listComments(source).flatMap((comment) =>
    listSentences(comment)
      .flat()
      .filter(({ text }, i) => hasNoSubject(text, i === 0))
      .map(({ line, text }) => `${source.path}:${line}: ${text}`),
  );

/** Returns the name in a call such as `test(...)` or `test.each(...)(...)`; else undefined. */
function testNameOf({ callee, arguments: [name] }: ESTree.CallExpression): string | undefined {
  let root: ESTree.Expression | ESTree.Super = callee;
  while (root.type === "MemberExpression" || root.type === "CallExpression")
    root = root.type === "MemberExpression" ? root.object : root.callee;
  if (root.type !== "Identifier" || !["test", "it", "describe"].includes(root.name))
    return undefined;
  if (name?.type === "TemplateLiteral") return name.quasis[0]?.value.raw;
  return name?.type === "Literal" && typeof name.value === "string" ? name.value : undefined;
}

function listTestNames({ path, text }: Source): Text[] {
  const names: Text[] = [];
  new Visitor({
    CallExpression: (call) => {
      const name = testNameOf(call);
      if (name !== undefined)
        names.push({ line: text.slice(0, call.start).split("\n").length, text: name });
    },
  }).visit(parseSync(path, text).program);
  return names;
}

const listNamesWithoutNoun = (source: Source): string[] =>
  listTestNames(source)
    .filter(({ text }) => hasNoSubject(text, true) || VERB.test(text))
    .map(({ line, text }) => `${source.path}:${line}: ${text}`);

const hasOneSubject = (subject: string): boolean =>
  subject.length <= 72 && !subject.includes(";") && !SECOND_VERB.test(subject);

/**
 * Returns the subjects of commits; undefined where git or the history is missing, as in a package.
 */
function listSubjects(): string[] | undefined {
  try {
    const args = ["log", "--format=%s", `${UNCHECKED}..HEAD`];
    const text = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
    return text.split("\n").filter((subject) => subject !== "");
  } catch {
    return undefined;
  }
}

test("each sentence of a comment has a noun of its own as its subject", () => {
  expect(sources.length).toBeGreaterThan(1000);
  expect(sources.flatMap(listWithoutNoun)).toEqual([]);
});

test("each test name has a noun of its own as its subject", () => {
  const files = sources.filter(({ path }) => /\.test\.tsx?$/.test(path));
  expect(files.flatMap(listTestNames).length).toBeGreaterThan(2000);
  expect(files.flatMap(listNamesWithoutNoun)).toEqual([]);
});

const subjects = listSubjects();

test.skipIf(subjects === undefined)("each commit has one subject of at most 72 characters", () => {
  expect(subjects?.filter((subject) => !hasOneSubject(subject))).toEqual([]);
});

test("a sentence without a subject is found in any comment, but not in the texts of the program", () => {
  const text = [
    "const a = `// Of a template`; // Of a key.",
    "/** The key. In upper",
    " * case. @param b only its end */",
    'const url = "https://a.example/* By a string */"; const c = /\\/\\/ For a regex/;',
    "// A noun is",
    "// here. Only then",
    "// a pronoun follows. It refers to the noun.",
    "",
    "// They refer to nothing. The same holds here.",
    "/**",
    " * - As a list.",
    " *",
    " * Without a noun",
    " */",
  ].join("\n");
  expect(listWithoutNoun({ path: "a.ts", text })).toEqual([
    "a.ts:1: Of a key.",
    "a.ts:2: In upper case. @param b only its end",
    "a.ts:6: Only then a pronoun follows.",
    "a.ts:9: They refer to nothing.",
    "a.ts:9: The same holds here.",
    "a.ts:11: As a list.",
    "a.ts:13: Without a noun",
  ]);
});

test("a test name without a subject is found in every kind of call", () => {
  const text =
    'test("as JSON", f);\nit.each([1])("only %s", f);\ntest.skipIf(x)(`it ${y}`, f);\nlog("of a log");\ntest("is JSON", f);\ntest("JSON", f);';
  expect(listNamesWithoutNoun({ path: "a.ts", text })).toEqual([
    "a.ts:1: as JSON",
    "a.ts:2: only %s",
    "a.ts:3: it ",
    "a.ts:5: is JSON",
  ]);
});

test("a commit subject with two subjects, or of 73 characters, is refused", () => {
  expect([
    "Stop polls; name keys",
    "Stop polls and name keys and add tests",
    "x".repeat(73),
  ]).toEqual(expect.not.arrayContaining([expect.toSatisfy(hasOneSubject)]));
  expect(["Stop and start endpoints", "x".repeat(72)].every(hasOneSubject)).toBe(true);
});
