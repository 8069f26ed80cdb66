import { GUIDES, readGuide } from "../../platform/assets.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { command } from "../command.ts";
import { usageError } from "../failure.ts";
import { DEFAULT_PORT } from "../running/port.ts";

/** The address of the API with the default settings, for the links in a guide. */
const BASE = `http://127.0.0.1:${DEFAULT_PORT}`;

export const definition = command({
  arguments: ["[topic]"],
  values: GUIDES,
  examples: ["guide", "guide failing-webhooks"],
  run(cli, _flags, topic) {
    if (topic === undefined) {
      const guides = Object.entries(GUIDES).map(([name, about]) => ({ topic: name, about }));
      cli.printList(guides, [{ title: "TOPIC", value: "topic", noTruncate: true }, "about"], "");
      return;
    }
    if (!Object.hasOwn(GUIDES, topic))
      throw usageError(
        `There is no guide '${topic}'.${didYouMean(topic, Object.keys(GUIDES))}`,
        "deskbell guide lists all topics",
      );
    const content = readGuide(topic).replaceAll("](/", `](${BASE}/`);
    if (cli.flags.json) return cli.printObject({ topic, content });
    cli.printContent(content);
  },
});
