import { writeNewFile } from "../input/new-file.ts";
import { command } from "../command.ts";
import { text } from "../flags.ts";

export const openapi = command({
  name: "openapi",
  about:
    "Print the OpenAPI description of the HTTP API, the same that the daemon answers at /openapi.json.",
  flags: {
    out: text("file", "write it there instead of stdout; - is stdout"),
    publicUrl: text("url", "where partners reach the API, to be named in it"),
  },
  examples: [
    "openapi --out openapi.json",
    "openapi --public-url https://api.example.com | jq .webhooks",
  ],
  async run(cli, { out = "-", publicUrl }) {
    const config = cli.config({ publicUrl });
    const [{ describeApi }, { ROUTES }, { readVersion }] = await Promise.all([
      import("../../http/openapi/document.ts"),
      import("../../http/routes.ts"),
      import("../../assets.ts"),
    ]);
    const described = describeApi({
      routes: ROUTES,
      publicUrl: config.http.publicUrl,
      version: readVersion(),
    });
    const content = `${JSON.stringify(described, null, 2)}\n`;
    if (out === "-") cli.io.stdout.write(content);
    else writeNewFile(out, content);
  },
});
