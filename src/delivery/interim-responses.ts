import type { Socket } from "node:net";

const STATUS_LINE = /^HTTP\/1\.[01] (\d)\d\d$/;
const STATUS_LENGTH = "HTTP/1.1 100".length;
const LF = 10;
const CR = 13;

/**
 * Makes undici ignore an unrequested 100 (Continue), as RFC 9110, 15.2 requires: undici takes it for
 * an error and ignores other interim responses, so each 100 is changed to 102 as it is read.
 */
export function ignoreContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let requestBytes = 0;
  let status = "";
  let isInHeaders = false;
  let lineFeeds = 0;
  let isFinal = true;

  function renumber(chunk: Buffer): void {
    for (let i = 0; i < chunk.length && !isFinal; i++) {
      const byte = chunk[i] ?? 0;
      if (isInHeaders) {
        if (byte !== CR) lineFeeds = byte === LF ? lineFeeds + 1 : 0;
        // An empty line ends the interim response; another response follows.
        isInHeaders = lineFeeds < 2;
        continue;
      }
      status += String.fromCharCode(byte);
      if (status.length < STATUS_LENGTH) continue;
      isFinal = STATUS_LINE.exec(status)?.[1] !== "1";
      if (status.endsWith(" 100")) chunk[i] = "2".charCodeAt(0);
      [status, isInHeaders, lineFeeds] = ["", true, 0];
    }
  }

  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    // A new request has been written, so a new response begins.
    if (socket.bytesWritten > requestBytes) {
      requestBytes = socket.bytesWritten;
      [status, isInHeaders, isFinal] = ["", false, false];
    }
    renumber(chunk);
    return chunk;
  };
  return socket;
}
