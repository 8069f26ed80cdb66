import { isBuiltin } from "node:module";
import type { Plugin } from "rolldown";

/** A module of Node's whose exports come when they are asked for; what is no plain object is there at once. */
function lazily(name: string): string {
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
 * At an `import` of a module of its own Node makes ready all that it exports: of node:http that is a WebSocket, for which it loads
 * an undici of its own, of node:process the streams of the terminal. That is a third of the time that a start takes, for things
 * that nobody here wants. So they come without `import`, each when something of it is first used.
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
    handler: (id) => ({ code: lazily(id.slice(1)), moduleType: "js" }),
  },
};

/** One character beyond Latin-1 in it, and V8 keeps a whole file at two bytes for each of its characters. */
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

/** Of listhen what opens a listener: with these it makes certificates, which are for development, and draws boxes and codes. */
export const alias = { "node-forge": false, consola$: "consola/basic", uqr: false } as const;
