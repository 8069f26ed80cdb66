import { openApiOf } from "../../http/openapi/built-document.ts";
import { writeNewFile } from "../../cli/input/new-file.ts";
import { command } from "../../cli/command.ts";
import { text } from "../../cli/flags.ts";

export const definition = command({
  flags: {
    out: text("file", "write to this new file (default -, which is stdout)"),
    publicUrl: text("url", "base URL of the API in the document"),
  },
  examples: [
    "openapi --out openapi.json",
    "openapi --public-url https://api.example.com | jq .webhooks",
  ],
  run(cli, { out = "-", publicUrl }) {
    const config = cli.config({ publicUrl });
    const document = openApiOf({ publicUrl: config.http.publicUrl });
    if (out === "-") cli.printJson(document);
    else writeNewFile(out, `${JSON.stringify(document, null, 2)}\n`);
  },
});
