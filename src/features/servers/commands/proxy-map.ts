import { PROXY_FORMATS } from "../rules.ts";
import { command } from "../../../cli/command.ts";
import { requiredChoice } from "../../../cli/flags.ts";
import { metricsTokenFlag } from "./metrics-token.ts";

export const definition = command({
  arguments: ["<servers>"],
  flags: {
    format: requiredChoice(PROXY_FORMATS, "the proxy that reads the map"),
    metricsTokenFile: metricsTokenFlag,
  },
  examples: [
    "proxy-map --format caddy servers.txt > deskbell.map",
    "proxy-map --format nginx --metrics-token-file /etc/deskbell/metrics.token servers.txt",
  ],
  async run(cli, { format, metricsTokenFile }, file) {
    const [{ askServers, getRunning }, { assertNotShared, writeProxyMap }] = await Promise.all([
      import("./ask-servers.ts"),
      import("../rules.ts"),
    ]);
    const servers = (await askServers(file, { dataDir: cli.flags.dataDir, metricsTokenFile })).map(
      (asked) => ({
        name: asked.name,
        addresses: asked.addresses,
        businesses: getRunning(asked).businesses,
      }),
    );
    assertNotShared(servers);
    if (cli.flags.json) cli.printObject({ servers });
    else cli.printContent(writeProxyMap(format, servers));
  },
});
