import type { Runtime } from "../../../app/runtime.ts";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { type HealthCondition, openCondition } from "../../../domain/conditions/registry.ts";
import { isoSeconds, shellQuote } from "../../../domain/text.ts";
import { readHandover } from "./state.ts";
import { findTakeover } from "./write-guard.ts";

/**
 * Reports that this server is stopped and another one continues from a copy of its data. A running
 * server does not read the folder of the copies, because a network disk that hangs would stop it.
 */
export function checkReplaced({ config }: Runtime, isRunning: boolean): HealthCondition[] {
  if (isRunning) return [];
  const replacement = findReplacement(config);
  if (replacement === undefined) return [];
  const { text, dir } = replacement;
  const command = `deskbell restore --latest ${shellQuote(dir)}, after deskbell handover on that server`;
  return [openCondition("server.replaced", text, command)];
}

function findReplacement(config: Config): { text: string; dir: string } | undefined {
  try {
    const handover = readHandover(config);
    if (handover?.state === "done") {
      const { at, copy, to: dir } = handover;
      const text = `another server continues with these data, which were handed over on ${isoSeconds(at)} with the copy ${copy} in ${dir}`;
      return { text, dir };
    }
    const dir = findTakeover(config);
    if (dir === undefined) return undefined;
    const text = `another server has taken over with a copy in ${dir}, so this one does not start`;
    return { text, dir };
  } catch (error) {
    // A file that cannot be read is reported when the daemon starts or a command writes.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
