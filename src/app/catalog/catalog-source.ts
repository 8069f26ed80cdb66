import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from "yaml";
import { type Path } from "../../domain/catalog/catalog-issue.ts";
import { quote } from "../../domain/safe-text.ts";
import { DECIMAL_FIELDS } from "../../domain/catalog/file/values.ts";
import { readSoundJson } from "./catalog-json.ts";
import { readPlainYaml } from "./catalog-plain-yaml.ts";

/** A catalog file: its name, as shown in messages, and its text in YAML or JSON. */
export type CatalogSource = { name: string; text: string };

export type Position = { line: number; column: number };

type SourceMistake = Position & {
  code: "invalid_syntax" | "repeated_key" | "unknown_field";
  detail: string;
};

export type ParsedSource = {
  /** Plain data. Fields with nothing behind the colon are undefined. */
  content: unknown;
  mistakes: SourceMistake[];
  /** What was read is not all that was written. */
  broken: boolean;
  /** Where the field or element at the end of a path stands, or the nearest thing around it that is written. */
  locate: (path: Path) => Position;
};

const MAX_BYTES = 50_000_000;
const MAX_DEPTH = 40;
// An alias is cheap to write and its copies are not: a dozen lines can name billions of nodes.
const MAX_ALIASED_NODES = 1_000_000;

/** Data alone knows neither its places nor its decimals' digits: what is not quickly found to be sound is read by its nodes. */
export function parseSource(source: CatalogSource): ParsedSource {
  if (Buffer.byteLength(source.text) > MAX_BYTES)
    return unreadable("The file is larger than 50 MB.");
  const sound = readSoundJson(source.text) ?? readPlainYaml(source.text);
  if (sound === null) return parseNodes(source);
  let nodes: ParsedSource | undefined;
  return {
    content: sound.content,
    mistakes: [],
    broken: false,
    // Places are asked for when something is wrong, and only then.
    locate: (path) => (nodes ??= parseNodes(source)).locate(path),
  };
}

/** YAML, of which JSON is a part, by its nodes. */
export function parseNodes(source: CatalogSource): ParsedSource {
  const lines = new LineCounter();
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const mistakes: SourceMistake[] = [];
  const report = (code: SourceMistake["code"], offset: number, detail: string): void =>
    void mistakes.push({ code, ...position(offset), detail });

  const document = parseDocument(source.text, {
    schema: "core",
    stringKeys: true,
    resolveKnownTags: false,
    // Quadratic in the map's size; the walk below finds them with a set.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines,
  });
  const errors = [...document.errors, ...document.warnings];
  const tabs = errors.filter(({ code }) => code === "TAB_AS_INDENT");
  // Behind a tab nothing stands where it should: what else is said there would only lead astray.
  for (const error of tabs.length > 0 ? tabs : errors)
    report("invalid_syntax", error.pos[0], explain(error));
  if (mistakes.length > 0)
    return { content: undefined, mistakes, broken: true, locate: () => position(0) };
  if (document.contents === null)
    return unreadable("The file is empty. It must begin with 'catalog: 1'.");

  const anchors = new Map<string, Node>();
  let aliasedNodes = 0;
  let broken = false;

  function refuse(node: Node | undefined, detail: string): undefined {
    broken = true;
    report("invalid_syntax", startOf(node), detail);
  }

  function plain(node: Node | null, field: string, depth: number, aliased: boolean): unknown {
    if (node === null) return undefined;
    // The first refusal of this kind is the last: all further work would be wasted.
    if (broken) return undefined;
    if (depth > MAX_DEPTH) return refuse(node, "This is nested too deeply for a catalog.");
    if (aliased && ++aliasedNodes > MAX_ALIASED_NODES)
      return refuse(node, "Its aliases (*name) make this file far too large.");
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined)
        return refuse(node, `No anchor ${quote(`&${node.source}`)} stands before this alias.`);
      return plain(target, field, depth + 1, true);
    }
    if (!aliased && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isScalar(node)) {
      const { value, source } = node;
      return typeof value === "number" && DECIMAL_FIELDS.has(field)
        ? (source ?? String(value))
        : (value ?? undefined);
    }
    if (isMap(node)) return plainMap(node, depth, aliased);
    if ("items" in node)
      return node.items.map(
        (item) => plain(item as Node | null, field, depth + 1, aliased) ?? null,
      );
    return undefined;
  }

  function plainMap(
    map: { items: { key: unknown; value: unknown }[] },
    depth: number,
    aliased: boolean,
  ): object {
    const fields: Record<string, unknown> = {};
    for (const pair of map.items) {
      const key = pair.key as Node;
      const name = isScalar(key) ? String(key.value) : "";
      if (name === "__proto__") report("unknown_field", startOf(key), "Unknown field '__proto__'.");
      else if (Object.hasOwn(fields, name))
        report(
          "repeated_key",
          startOf(key),
          `${quote(name)} is written twice here. Keep one of them.`,
        );
      else fields[name] = plain(pair.value as Node | null, name, depth + 1, aliased);
    }
    return fields;
  }

  const locate = (path: Path): Position => {
    let node: Node | undefined = document.contents ?? undefined;
    let offset = startOf(node);
    for (const part of path) {
      if (isAlias(node)) node = anchors.get(node.source);
      if (node === undefined || !("items" in node)) break;
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
        if (pair === undefined) break;
        offset = startOf(pair.key as Node);
        node = (pair.value as Node | null) ?? undefined;
      } else {
        const item: unknown = node.items[part as number];
        if (item === undefined) break;
        node = item as Node;
        offset = startOf(node);
      }
    }
    return position(offset);
  };

  const content = plain(document.contents, "", 0, false);
  return { content, mistakes, broken, locate };
}

const startOf = (node: Node | undefined): number => node?.range?.[0] ?? 0;

const START: Position = { line: 1, column: 1 };

const unreadable = (detail: string): ParsedSource => ({
  content: undefined,
  mistakes: [{ code: "invalid_syntax", ...START, detail }],
  broken: true,
  locate: () => START,
});

/** The parser's words, and ours for what people run into. */
function explain(error: YAMLError): string {
  switch (error.code) {
    case "TAB_AS_INDENT":
      return "A tab is used for indentation here; YAML takes spaces only.";
    case "MULTIPLE_DOCS":
      return "A second document begins here ('---'). Put it into a file of its own.";
    case "BLOCK_AS_IMPLICIT_KEY":
      return "A second ': ' in one line. Put the text in quotes, or begin a new line.";
    case "MISSING_CHAR":
      return `Something is not closed here: ${lowerFirst(error.message)}.`;
    case "TAG_RESOLVE_FAILED":
      return `Tags such as '!name' have no meaning in a catalog (${lowerFirst(error.message)}).`;
    case "NON_STRING_KEY":
      return "The name of a field must be text.";
    default:
      if (error.message.startsWith("Maximum call stack"))
        return "This is nested too deeply for a catalog.";
      return `This is not valid YAML: ${lowerFirst(error.message)}.`;
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
