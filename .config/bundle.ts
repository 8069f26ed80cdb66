import { isBuiltin } from "node:module";
import type { Plugin } from "rolldown";

/**
 * Returns the code of a module that loads one of Node's modules at the first use of an export. A
 * module that is not a plain object is loaded immediately.
 */
function lazyModule(name: string): string {
  const real: unknown = process.getBuiltinModule(name);
  if (typeof real !== "object" || real === null || real === process)
    return `module.exports = process.getBuiltinModule("${name}");`;
  const getters = Object.getOwnPropertyNames(real).map(
    (key) => `get ${key}() { return load().${key}; },`,
  );
  return `let loaded;
const load = () => (loaded ??= process.getBuiltinModule("${name}"));
module.exports = {
${getters.join("\n")}
};`;
}

/**
 * Replaces imports of Node's modules with lazy ones. An `import` evaluates every export: node:http
 * loads an internal undici for its WebSocket, and node:process opens the terminal's streams. That
 * took a third of the start time, for exports that are not used.
 */
export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  resolveId: {
    filter: { id: /^[\w:/]+$/ },
    // The bundler's own runtime imports node:module.
    handler: (id) =>
      isBuiltin(id) && id !== "node:module" ? `\0node:${id.replace(/^node:/, "")}` : null,
  },
  load: {
    filter: { id: /^\0node:/ },
    handler: (id) => ({ code: lazyModule(id.slice(1)), moduleType: "js" }),
  },
};

/** Escapes non-ASCII characters: a single one beyond Latin-1 doubles the memory of a file in V8. */
export const ascii: Plugin = {
  name: "ascii",
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escapeUnit);
  },
};

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

export const define = { "process.env.NODE_ENV": '"production"' };

/** Optional parts of listhen that are not used: development certificates, boxes and QR codes. */
export const alias = { "node-forge": false, consola$: "consola/basic", uqr: false } as const;
