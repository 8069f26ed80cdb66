import { parseAst } from "rolldown/parseAst";
import { mutateSql } from "./mutate-sql.ts";

/** A change of a source that a test should notice. */
export type Mutant = {
  /** Path of the source, relative to the root. */
  file: string;
  line: number;
  /** What the change does, such as "< becomes <=". */
  change: string;
  /** The range of characters that `replacement` replaces. */
  start: number;
  end: number;
  replacement: string;
  /**
   * Whether the range is an expression. Otherwise the range consists of statements, and an inserted
   * condition decides whether they run.
   */
  isExpression: boolean;
  /**
   * Identifies the mutant even if other lines of the file change. The key consists of the file, the
   * text of the line, the change, and a number if this is not unique.
   */
  key: string;
};

/** A node of the parser's tree. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };
type Change = Pick<Mutant, "change" | "start" | "end" | "replacement" | "isExpression"> & {
  /** Position of the change in a text of several lines. */
  at?: number;
};

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

/** Operators and what replaces them. */
const OPERATORS: Record<string, readonly string[]> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&": ["|"],
  "|": ["&"],
  "+=": ["-="],
  "-=": ["+="],
  "??=": ["="],
};

/** Methods and what replaces them; an empty text removes the call. */
const METHODS: Record<string, string> = {
  every: "some",
  some: "every",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  filter: "",
  toSorted: "",
  toReversed: "",
  slice: "",
  trim: "",
  toLowerCase: "",
  toUpperCase: "",
};

/**
 * Fields of syntax nodes whose texts are names or paths. They are not values, so they are not
 * mutated.
 */
const NOT_VALUES = ["key", "source", "property", "directive", "local", "exported", "imported"];

/** Returns all mutants of a source. Sentences for people are not mutated. */
export function findMutants(file: string, source: string): Mutant[] {
  const changes: Change[] = [];
  const visit = (node: Node, parent: Node | null): void => {
    if (isType(node) || isExempt(node)) return;
    changes.push(...changesOf(node, parent, source));
    for (const [field, child] of Object.entries(node))
      for (const one of Array.isArray(child) ? child : [child])
        if (isNode(one) && !(NOT_VALUES.includes(field) && !node["computed"])) visit(one, node);
  };
  visit(parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }) as unknown as Node, null);
  const seen = new Map<string, number>();
  return changes.map(({ at, ...change }) => {
    const line = source.slice(0, at ?? change.start).split("\n").length;
    const place = `${file}: ${source.split("\n")[line - 1]?.trim()}: ${change.change}`;
    const number = (seen.get(place) ?? 0) + 1;
    seen.set(place, number);
    return { ...change, file, line, key: number === 1 ? place : `${place} (${number})` };
  });
}

const CASTS = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"];
const isType = ({ type }: Node): boolean => type.startsWith("TS") && !CASTS.includes(type);

/**
 * Returns whether a node is not mutated. Paths of modules (in imports and in `new URL`) must stay,
 * because bundlers look for them. JSX markup and tagged templates are not mutated either.
 */
const isExempt = (node: Node): boolean =>
  node.type.startsWith("Import") ||
  node.type.startsWith("JSX") ||
  node.type === "TaggedTemplateExpression" ||
  (node.type === "NewExpression" && (node["callee"] as Node)["name"] === "URL");

/** Returns the changes of a node itself. */
function changesOf(node: Node, parent: Node | null, source: string): Change[] {
  const text = ({ start, end }: Node) => source.slice(start, end);
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression": {
      const { operator, left, right } = node as Node & Record<"left" | "right", Node>;
      const [before, after] = [text(left), text(right)];
      return (OPERATORS[operator as string] ?? []).map((by) =>
        replace(
          node,
          `${operator as string} becomes ${by}`,
          node.type === "AssignmentExpression"
            ? `${before} ${by} ${after}`
            : `(${before}) ${by} (${after})`,
        ),
      );
    }
    case "UnaryExpression":
      return node["operator"] === "!"
        ? [replace(node, "! is removed", text(node["argument"] as Node))]
        : [];
    case "UpdateExpression": {
      const by = node["operator"] === "++" ? "--" : "++";
      const changed = text(node).replace(node["operator"] as string, by);
      return [replace(node, `${node["operator"] as string} becomes ${by}`, changed)];
    }
    case "IfStatement":
    case "ConditionalExpression":
    case "WhileStatement": {
      const test = node["test"] as Node;
      const values = ["true", "false"].filter((value) => value !== text(test));
      return values.map((value) => replace(test, `the condition becomes ${value}`, value));
    }
    case "CallExpression":
      return changesOfCall(node, text).map(([change, by]) => replace(node, change, by));
    case "ChainExpression": {
      const chain = text(node);
      return chain.includes("?.") ? [replace(node, "?. becomes .", unchain(chain))] : [];
    }
    case "ArrayExpression":
      return (node["elements"] as unknown[]).length > 0
        ? [replace(node, "the list is emptied", "[]")]
        : [];
    case "Literal":
      return changesOfLiteral(node, parent);
    case "TemplateLiteral":
      return changesOfText(node, text(node));
    case "ExpressionStatement":
      return typeof node["directive"] === "string"
        ? []
        : [replace(node["expression"] as Node, "the statement is removed", "undefined")];
    case "ThrowStatement":
      return [guard("the throw is removed", node)];
    case "BlockStatement":
      return (node["body"] as unknown[]).length > 0
        ? [guard("the block is emptied", { ...node, start: node.start + 1, end: node.end - 1 })]
        : [];
    default:
      return [];
  }
}

const replace = ({ start, end }: Node, change: string, replacement: string): Change => ({
  change,
  start,
  end,
  replacement,
  isExpression: true,
});

const guard = (change: string, { start, end }: Node): Change => ({
  change,
  start,
  end,
  replacement: "",
  isExpression: false,
});

const unchain = (text: string): string =>
  text.replaceAll(/\?\.(?=[[(])/g, "").replaceAll(/\?\.(?!\d)/g, ".");

type Replacement = [change: string, replacement: string];

function changesOfCall(node: Node, text: (node: Node) => string): Replacement[] {
  const callee = node["callee"] as Node;
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return [];
  const [object, property] = [callee["object"] as Node, callee["property"] as Node];
  const name = text(property);
  const by = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (by === undefined || callee["optional"] === true) return [];
  if (by === "") return [[`.${name}() is removed`, text(object)]];
  const rest = text(node).slice(property.end - node.start);
  return [[`.${name} becomes .${by}`, `${text(object)}.${by}${rest}`]];
}

function changesOfLiteral(node: Node, parent: Node | null): Change[] {
  const [value, raw] = [node["value"], node["raw"] as string];
  const become = (by: string) => [replace(node, `${raw} becomes ${by}`, by)];
  if (typeof value === "boolean") return become(String(!value));
  if (typeof value === "number") return become(String(value + 1));
  if (typeof value !== "string" || parent?.type === "ExpressionStatement") return [];
  return changesOfText(node, raw);
}

/** Returns the changes of a literal text or template. */
function changesOfText(node: Node, raw: string): Change[] {
  const [quote, inner] = [raw[0], raw.slice(1, -1)];
  const sql = mutateSql(inner);
  if (sql !== null)
    return sql.map(({ change, text, index }) => ({
      ...replace(node, change, `${quote}${text}${quote}`),
      at: node.start + 1 + index,
    }));
  if (/[a-z,.:] [A-Za-z$'"]/.test(inner)) return [];
  return [
    inner === ""
      ? replace(node, "the text is filled", '"mutant"')
      : replace(node, "the text is emptied", '""'),
  ];
}
