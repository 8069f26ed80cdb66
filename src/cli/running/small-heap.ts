import { setFlagsFromString } from "node:v8";

/**
 * For a command that holds a whole catalog for a second and ends. V8 gives objects that may soon be garbage ever more room; the
 * documents of a catalog stay to the end, are copied about in it, and cost 60 MB that a small box has better uses for.
 */
export const keepHeapSmall = (): void => setFlagsFromString("--semi-space-growth-factor=1");
