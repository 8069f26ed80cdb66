/** A word or operator of SQL, and what replaces it. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/\bAND\b/g, "OR"],
  [/\bOR\b(?! (?:IGNORE|REPLACE|ABORT|FAIL))/g, "AND"],
  [/<=/g, "<"],
  [/>=/g, ">"],
  [/(?<!-)<(?![=>])/g, "<="],
  [/(?<![-<>])>(?![=>])/g, ">="],
  [/(?<![<>!=:])=(?![=>])/g, "<>"],
  [/<>/g, "="],
  [/\bIS NOT\b/g, "IS"],
  [/\bIS\b(?! NOT)/g, "IS NOT"],
  [/\bNOT (?=EXISTS|IN\b)/g, ""],
  [/(?<!NOT )\bEXISTS\b/g, "NOT EXISTS"],
  [/(?<!NOT )\bIN (?=[(\w$])/g, "NOT IN "],
  [/ DESC\b/g, " ASC"],
  [/ ASC\b/g, " DESC"],
  [/\bDISTINCT /g, ""],
  [/\bOR IGNORE /g, ""],
  [/\bLEFT JOIN\b/g, "JOIN"],
  [/\bmin\(/gi, "max("],
  [/\bmax\(/gi, "min("],
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/\bLIMIT 1\b/g, "LIMIT 2"],
  [/(?<=[=>] )0\b/g, "1"],
  [/(?<=[=>] )1\b/g, "0"],
  [/(?<= = )'\w+'/g, "''"],
];

const IS_SQL =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY|VALUES|JOIN|IS NULL|IS NOT NULL|AND|ON CONFLICT)\b/;

/**
 * Keywords that decide what the next `=` does: it assigns after SET, and compares after the others.
 */
const CLAUSES = /\b(?:WHERE|ON|HAVING|AND|OR|WHEN|SELECT|SET|VALUES)\b(?! CONFLICT)/g;

/** A change of a text, and where in the text it is made. */
export type TextChange = { change: string; text: string; index: number };

/** Returns the changes of a text of SQL, or null for any other text. */
export function mutateSql(text: string): TextChange[] | null {
  if (!IS_SQL.test(text)) return null;
  return CHANGES.flatMap(([from, to]) =>
    [...text.matchAll(from)].flatMap(({ index, 0: found }): TextChange[] => {
      if (isInExpression(text, index) || (found === "=" && isAssignment(text, index))) return [];
      const change = `${found.trim()} becomes ${to.trim() || "nothing"} in SQL`;
      return [
        { change, text: text.slice(0, index) + to + text.slice(index + found.length), index },
      ];
    }),
  );
}

/** Returns whether a position of a template is inside `${...}`. */
function isInExpression(text: string, index: number): boolean {
  const before = text.slice(0, index);
  const open = before.lastIndexOf("${");
  return open >= 0 && !before.slice(open).includes("}");
}

const isAssignment = (text: string, index: number): boolean =>
  [...text.slice(0, index).matchAll(CLAUSES)].at(-1)?.[0] === "SET";
