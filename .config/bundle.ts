import type { Plugin } from "rolldown";

/** To a bundler node:http is a module like any other; an `import` of it has Node make ready all that it exports. */
const HTTP = "node:http";

/**
 * One of the exports of node:http is WebSocket, for which Node loads its own undici: 28 ms of processor time at each start, and
 * nobody here wants it. Without `import` it stays away.
 */
export const leanHttp: Plugin = {
  name: "lean-http",
  resolveId: (id) => (id === HTTP ? `\0${HTTP}` : null),
  load: (id) =>
    id === `\0${HTTP}` ? { code: `module.exports = process.getBuiltinModule("${HTTP}");`, moduleType: "js" } : null,
};

export const define = { "process.env.NODE_ENV": '"production"' };

/** Of listhen what opens a listener: it makes certificates with the one, which are for development, and draws boxes with the other. */
export const alias = { "node-forge": false, consola$: "consola/basic" } as const;
