import { writeNewFile } from "../input/new-file.ts";
import { command } from "../command.ts";
import { text } from "../flags.ts";

export const definition = command({
  flags: {
    out: text("file", "write to this new file (default -, which is stdout)"),
    publicUrl: text("url", "base URL of the API in the document"),
  },
  examples: [
    "openapi --out openapi.json",
    "openapi --public-url https://api.example.com | jq .webhooks",
  ],
  async run(cli, { out = "-", publicUrl }) {
    const config = cli.config({ publicUrl });
    const [{ describeApi }, { loadRoutes }, { readVersion }] = await Promise.all([
      import("../../http/openapi/document.ts"),
      import("../../http/routes.ts"),
      import("../../assets.ts"),
    ]);
    const described = describeApi({
      routes: await loadRoutes(),
      publicUrl: config.http.publicUrl,
      version: readVersion(),
    });
    if (out === "-") cli.printJson(described);
    else writeNewFile(out, `${JSON.stringify(described, null, 2)}\n`);
  },
});
