import { once } from "node:events";
import { createServer } from "node:net";
import { AppError } from "../../domain/errors.ts";

/**
 * Makes sure that a port can be listened on, before anything is started on it.
 * @throws AppError with the reason why not
 */
export async function assertPortAvailable(host: string, port: number): Promise<void> {
  try {
    await tryPort(host, port);
  } catch (error) {
    throw explain(error, host, port);
  }
}

/** The wanted port of 127.0.0.1 if it can be had, else a free one. */
export async function findFreePort(wanted: number): Promise<number> {
  try {
    return await tryPort("127.0.0.1", wanted);
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

function explain(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new AppError("state_refuses", `Port ${port} is in use.`, {
        fix: `stop what listens there, or --port ${port + 1}, or --port 0 for any free one`,
      });
    case "EACCES":
      return new AppError("not_permitted", `Port ${port} is not for this user.`, {
        fix: "take a --port above 1023",
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new AppError("usage", `This machine has no address '${host}'.`, {
        fix: "--host 127.0.0.1, or --host 0.0.0.0",
      });
    default:
      return error;
  }
}
