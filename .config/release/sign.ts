import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// sign.ts FOLDER KEY: signs the checksums of a release with an SSH key of the releaser, which may
// be on another machine than the build, or in a hardware token. The guide about the installation
// shows how to verify the signature.

/**
 * Namespace of the signature. It keeps the signature of a release from being accepted as one of
 * anything else.
 */
const NAMESPACE = "deskbell-release";

/** Signs `SHA256SUMS` in a folder, and returns the path of the signature. */
export function signSums(folder: string, key: string): string {
  const sums = join(folder, "SHA256SUMS");
  const signature = `${sums}.sig`;
  rmSync(signature, { force: true });
  execFileSync("ssh-keygen", ["-Y", "sign", "-f", key, "-n", NAMESPACE, sums], {
    stdio: ["inherit", "ignore", "inherit"],
  });
  return signature;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder, key] = process.argv.slice(2);
  if (folder === undefined || key === undefined) throw new Error("Usage: sign.ts FOLDER KEY");
  console.log(signSums(folder, key));
}
