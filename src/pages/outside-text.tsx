/** @jsxImportSource preact */
import { showHidden } from "../domain/text.ts";

/**
 * Text from outside, such as a name in a catalog or a receiver's response. It keeps its own
 * direction, and characters that reorder or hide others are shown as U+FFFD.
 */
export const OutsideText = ({ text }: { text: string }) => <bdi>{showHidden(text)}</bdi>;
