import { STATUS_CODES } from "node:http";
import { type HttpCode, PROBLEM_CODES } from "../../src/http/pipeline/problem-codes.ts";
import { heading, joinBlocks } from "./markdown.ts";

const INTRODUCTION = `Every error is a problem document (RFC 9457, \`application/problem+json\`). Use \`code\` in your program: it is stable, whereas \`detail\` is for people. \`type\` links to the section of the code below.

\`errors\` lists every error in the request. \`requestId\` (also in the header \`Request-Id\`) identifies the request in the server's log.`;

export const problemAnchor = (code: string): string => `problem-${code}`;

export const errorsAsMarkdown = (): string =>
  joinBlocks(
    heading(2, "Errors"),
    INTRODUCTION,
    ...Object.entries(PROBLEM_CODES)
      .toSorted(([, [a]], [, [b]]) => a - b)
      .map(([code, [status, meaning, advice]]) =>
        joinBlocks(
          heading(3, `\`${code}\``, problemAnchor(code as HttpCode)),
          `${status} ${STATUS_CODES[status]}: ${meaning} ${advice}`,
        ),
      ),
  );
