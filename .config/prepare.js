// npm runs this script at `npm ci`, before `npm test`, and before the first `npx deskbell` of each
// user in a checkout. The script is plain JavaScript, so it runs on any version of Node.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files and folders that the build reads. */
const SOURCES = ["src", "data", ".config", "package.json", "package-lock.json"];

const modifiedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isNewer = (path, than) =>
  modifiedAt(path) > than ||
  (statSync(path).isDirectory() &&
    readdirSync(path).some((name) => isNewer(join(path, name), than)));

const builtAt = modifiedAt(join("dist", "main.js"));
const isBuilt =
  builtAt > 0 &&
  existsSync(join("dist", "schema.json")) &&
  !SOURCES.some((path) => existsSync(path) && isNewer(path, builtAt));
if (!isBuilt)
  process.exitCode = spawnSync("npm run build", { shell: true, stdio: "inherit" }).status ?? 1;
