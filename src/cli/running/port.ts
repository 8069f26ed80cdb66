import { once } from "node:events";
import { createServer } from "node:net";
import { AppError } from "../../domain/errors.ts";
import { usageError } from "../failure.ts";

export const DEFAULT_PORT = 4100;

/** Checks that the port can be opened, before anything is started. */
export async function assertPortAvailable(host: string, port: number): Promise<void> {
  try {
    await tryPort(host, port);
  } catch (error) {
    throw portError(error, host, port);
  }
}

/** Returns the preferred port of 127.0.0.1 if it is free, else another free one. */
export async function findFreePort(preferred: number): Promise<number> {
  try {
    return await tryPort("127.0.0.1", preferred);
  } catch {
    return tryPort("127.0.0.1", 0);
  }
}

async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return bound;
}

function portError(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new AppError("state_refuses", `Port ${port} is in use.`, {
        fix: `stop the program that uses it, or add --port ${port + 1}, or --port 0 for any free port`,
      });
    case "EACCES":
      return new AppError("not_permitted", `This user may not open port ${port}.`, {
        fix: "use a --port above 1023",
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return usageError(
        `This machine has no address '${host}'.`,
        "use --host 127.0.0.1, or --host 0.0.0.0 for all addresses",
      );
    default:
      return error;
  }
}
