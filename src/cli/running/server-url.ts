import type { Runtime } from "../../app/runtime.ts";
import type { Cli } from "../cli.ts";
import { DEFAULT_PORT } from "./port.ts";

/**
 * Returns the URL at which others reach the server: the --public-url of this command or of the
 * daemon, else the local URL of the daemon.
 */
export function findServerUrl(
  cli: Cli,
  rt: Runtime,
  flags: { publicUrl: string | undefined },
): string {
  const daemon = rt.store.daemon.find();
  // An empty URL counts as unset.
  const publicUrl = cli.config(flags).http.publicUrl || daemon?.publicUrl;
  return publicUrl || (daemon?.url ?? `http://127.0.0.1:${DEFAULT_PORT}`);
}
