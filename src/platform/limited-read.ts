import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { AppError } from "../domain/errors.ts";
import { sleep } from "./sleep.ts";

/** `maxMs` limits the time until a pipe or stdin ends. */
export type ReadLimits = { maxBytes: number; maxMs: number };

/** The limits leave time for the program that fills a pipe. */
export const READ_LIMITS: ReadLimits = { maxBytes: 50_000_000, maxMs: 5 * 60_000 };

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

const CHUNK_BYTES = 65_536;
const POLL_MS = 10;

/**
 * Returns the content of a file, or of a pipe until its writer closes it. The limits protect from
 * paths such as `/dev/zero`, and from a pipe that nobody closes.
 * @throws AppError usage for a device or socket; invalid_input beyond a limit. An error of the
 *   system is thrown unchanged.
 */
export function readLimited(path: string, limits: ReadLimits = READ_LIMITS): Buffer {
  // `O_NONBLOCK` keeps `openSync` from blocking on a pipe that has no writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    assertNoDevice(path, stats);
    if (stats.size > limits.maxBytes) throw tooLargeError(path, limits);
    const content = new Content(path, limits);
    if (stats.isFIFO()) readPipe(file, path, content, limits);
    else while (content.add(readChunk(file)));
    return content.toBuffer();
  } finally {
    closeSync(file);
  }
}

/**
 * Returns whether the path is a pipe, which `readLimited` reads.
 * @throws AppError usage for a device or socket
 */
export function isPipe(path: string): boolean {
  const stats = statSync(path);
  assertNoDevice(path, stats);
  return stats.isFIFO();
}

function assertNoDevice(path: string, stats: Stats): void {
  if (!stats.isCharacterDevice() && !stats.isBlockDevice() && !stats.isSocket()) return;
  throw new AppError("usage", `${path} is a device or socket, not a file.`, {
    fix: "choose a file",
  });
}

function readPipe(file: number, path: string, content: Content, limits: ReadLimits): void {
  let waitedMs = 0;
  // A shell opens the other end of `<(command)` before it starts this program. Any other pipe, even
  // one in `/dev/shm`, may have no writer yet.
  let hasWriter = /^\/(?:dev\/(?:fd|stdin)|proc)\b/.test(path);
  for (;;) {
    const chunk = readWaiting(file);
    if (chunk?.length === 0 && hasWriter) return;
    if (chunk === undefined || content.add(chunk)) hasWriter = true;
    if (chunk !== undefined && chunk.length > 0) continue;
    if (waitedMs >= limits.maxMs) throw tooSlowError(path, limits);
    sleep(POLL_MS);
    waitedMs += POLL_MS;
  }
}

/**
 * Reads the next bytes of a pipe. Returns undefined if its writer has not written more yet, and an
 * empty buffer if there is no writer.
 */
function readWaiting(file: number): Buffer | undefined {
  try {
    return readChunk(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

function readChunk(file: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  return chunk.subarray(0, readSync(file, chunk));
}

/**
 * Returns the content of stdin.
 * @throws AppError invalid_input beyond a limit
 */
export async function readStdin(stdin: Input, limits: ReadLimits = READ_LIMITS): Promise<Buffer> {
  const content = new Content("stdin", limits);
  for await (const chunk of chunksOf(stdin, limits)) content.add(chunk);
  return content.toBuffer();
}

/**
 * Yields the chunks that arrive on stdin, without a limit on their total size.
 * @throws AppError invalid_input if nothing arrives for `maxMs`
 */
export const streamStdin = (stdin: Input, limits: ReadLimits = READ_LIMITS) =>
  chunksOf(stdin, limits, { restartsTimer: true });

async function* chunksOf(
  stdin: Input,
  limits: ReadLimits,
  { restartsTimer }: { restartsTimer: boolean } = { restartsTimer: false },
): AsyncGenerator<Buffer> {
  const chunks = stdin[Symbol.asyncIterator]();
  const timeout = Promise.withResolvers<never>();
  const stop = () => {
    timeout.reject(restartsTimer ? silenceError(limits) : tooSlowError("stdin", limits));
    // An open stdin would keep the process running.
    (stdin as Input & { destroy: () => void }).destroy();
  };
  // A person who types may take any time.
  const timer = stdin.isTTY ? undefined : setTimeout(stop, limits.maxMs);
  try {
    for (;;) {
      if (restartsTimer) timer?.refresh();
      const next = await Promise.race([chunks.next(), timeout.promise]);
      if (next.done) return;
      yield Buffer.from(next.value as string);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Collects chunks up to the maximum size. */
class Content {
  readonly #name: string;
  readonly #limits: ReadLimits;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(name: string, limits: ReadLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  /** Adds a chunk, and returns whether the chunk has any bytes. */
  add(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBytes) throw tooLargeError(this.#name, this.#limits);
    this.#chunks.push(chunk);
    return chunk.length > 0;
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

const tooLargeError = (name: string, { maxBytes }: ReadLimits): AppError =>
  new AppError("invalid_input", `${name} is larger than ${maxBytes / 1_000_000} MB.`, {
    fix: "split it into several files",
  });

const silenceError = ({ maxMs }: ReadLimits): AppError =>
  new AppError("invalid_input", `Nothing has arrived on stdin for ${maxMs / 1000} seconds.`, {
    fix: "write the data to a file first, and name the file",
  });

const tooSlowError = (name: string, { maxMs }: ReadLimits): AppError =>
  new AppError("invalid_input", `${name} did not end within ${maxMs / 1000} seconds.`, {
    fix: "write the data to a file first, and name the file",
  });
