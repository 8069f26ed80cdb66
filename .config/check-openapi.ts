import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApi } from "./openapi/document.ts";
import { nameServer } from "../src/http/openapi/built-document.ts";
import { loadRoutes } from "../src/http/routes.ts";
import { readVersion } from "../src/platform/assets.ts";

// npm run check:openapi: lints the OpenAPI document with Spectral, generates a client with each of
// four generators, and compiles the clients. Any error or warning makes it fail. The tools are
// downloaded (300 MB), so this is not part of `npm test`.

const PACKAGES = [
  "@stoplight/spectral-cli@6.16.3",
  "openapi-typescript@7.13.0",
  "@hey-api/openapi-ts@0.99.0",
  "orval@7.21.0",
  "swagger-typescript-api@13.13.0",
  "typescript@5.9.3",
];

const RULES = {
  extends: ["spectral:oas"],
  rules: {
    // The operator configures the contact of each server, so the document of the build has none.
    "info-contact": "off",
    // Spectral applies a rule of OpenAPI 3.0, but 3.1 allows scopes for bearer tokens.
    "oas3-operation-security-defined": "off",
  },
};

const COMPILER_OPTIONS = {
  module: "esnext",
  moduleResolution: "bundler",
  target: "esnext",
  lib: ["esnext", "dom", "dom.iterable"],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

const COMMANDS = [
  "spectral lint --fail-severity warn --ruleset rules.json openapi.json",
  "openapi-typescript openapi.json --output clients/openapi-typescript.ts",
  "openapi-ts --input openapi.json --output clients/hey-api --no-log-file",
  "orval --input openapi.json --output clients/orval/api.ts --client fetch",
  "swagger-typescript-api generate --path openapi.json --output clients/swagger --name api.ts",
  "tsc --project tsconfig.json",
];

const folder = mkdtempSync(join(tmpdir(), "deskbell-openapi-"));
const write = (name: string, value: object) =>
  writeFileSync(join(folder, name), JSON.stringify(value));
try {
  write("package.json", { private: true });
  write("rules.json", RULES);
  write("tsconfig.json", { compilerOptions: COMPILER_OPTIONS, include: ["clients"] });
  write(
    "openapi.json",
    nameServer(describeApi({ routes: await loadRoutes(), version: readVersion() }), {
      publicUrl: "https://api.example",
    }),
  );
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const command of COMMANDS) {
    const [name = "", ...args] = command.split(" ");
    const { status, stdout, stderr } = spawnSync(join(folder, "node_modules/.bin", name), args, {
      cwd: folder,
      encoding: "utf8",
    });
    const output = stdout + stderr;
    // The output of Spectral is not searched for "warn": its success message contains the word, and
    // its exit status already covers warnings.
    const hasWarning = name !== "spectral" && /\bwarn/i.test(output);
    const isClean = status === 0 && !hasWarning;
    console.log(`${isClean ? "ok    " : "FAILED"} ${command}${isClean ? "" : `\n${output}`}`);
    if (!isClean) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
