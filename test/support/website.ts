import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { createTempFolder } from "./cli.ts";
import type { Program } from "./program.ts";

const ROOT = new URL("../../", import.meta.url);

/** Puts the built client into a folder, as `npm install` does. */
export const installClient = (folder: string): void =>
  cpSync(new URL("dist/client/", ROOT), join(folder, "node_modules/deskbell-client"), {
    recursive: true,
  });

/** Copies the example website into a folder with the client. Returns the program of its server. */
export function installWebsite(folder = createTempFolder()): Program {
  for (const name of ["server.mjs", "page.html"])
    copyFileSync(new URL(`data/example-website/${name}`, ROOT), join(folder, name));
  installClient(folder);
  return { command: [process.execPath, join(folder, "server.mjs")], isStandalone: false };
}
