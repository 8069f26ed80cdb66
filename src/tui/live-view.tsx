import { Box, Text, useInput, usePaste, useWindowSize } from "ink";
import { memo, useEffect } from "react";
import { isSameLine, type StyledLine } from "./cells.ts";
import { type Key, parseKeys } from "./keys.ts";

type Props = {
  lines: readonly StyledLine[];
  onKeys: (keys: readonly Key[]) => void;
  onPaste: (text: string) => void;
  onResize: () => void;
};

/** Shows the lines of a frame with ink, and passes on keys, pasted text and resizes. */
export function LiveView({ lines, onKeys, onPaste, onResize }: Props) {
  const { columns, rows } = useWindowSize();
  useInput((input, key) => onKeys(parseKeys(input, key)));
  usePaste(onPaste);
  useEffect(onResize, [columns, rows, onResize]);
  return (
    <Box flexDirection="column">
      {lines.map((line, i) => (
        <Row key={i} line={line} />
      ))}
    </Box>
  );
}

const Row = memo(
  ({ line }: { line: StyledLine }) => (
    <Text wrap="truncate">
      {line.map(({ text, colour, bold = false, dim = false, inverse = false }, i) => (
        <Text
          key={i}
          bold={bold}
          dimColor={dim}
          inverse={inverse}
          {...(colour === undefined ? {} : { color: colour })}
        >
          {text}
        </Text>
      ))}
    </Text>
  ),
  (before, after) => isSameLine(before.line, after.line),
);
