import { createInterface } from "node:readline";
import type { Io } from "../io.ts";

/** Returns the typed line, or "" at the end of input. */
export function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stderr });
  return new Promise<string>((resolve) => {
    const onEnd = () => {
      stderr.write("\n");
      resolve("");
    };
    prompt.on("close", onEnd);
    prompt.on("SIGINT", () => {
      prompt.close();
      process.kill(process.pid, "SIGINT");
    });
    prompt.question(question, (typed) => {
      prompt.off("close", onEnd);
      prompt.close();
      resolve(typed);
    });
  });
}
