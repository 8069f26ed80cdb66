import { AppError } from "../../domain/errors.ts";
import { loadFromFeatures } from "../../features/index.ts";
import { command } from "../command.ts";

const rules = command({
  name: "rules",
  about:
    "Print alerting rules for Prometheus: one for each severity, and rules about the raw figures.",
  examples: [
    "metrics rules > /etc/prometheus/rules/deskbell.yml",
    "metrics rules | promtool check rules",
  ],
  async run(cli) {
    const { writeAlertingRules } = await import("../../domain/conditions/alerting-rules.ts");
    const text = writeAlertingRules(await loadFromFeatures("alertingRules"));
    if (cli.flags.json) cli.printObject({ rules: text });
    else cli.io.stdout.write(text);
  },
});

const token = command({
  name: "token",
  about:
    "Print the bearer token for /metrics, which the server creates at its first start. To replace it, delete metrics.token in the data folder and restart the server.",
  examples: ["metrics token", "metrics token > /etc/prometheus/deskbell.token"],
  async run(cli) {
    const { metricsTokenPath, readMetricsToken } =
      await import("../../app/operations/metrics-token.ts");
    const config = cli.configWithData();
    const metricsToken = readMetricsToken(config);
    if (metricsToken === null)
      throw new AppError(
        "resource_not_found",
        `There is no metrics token in ${metricsTokenPath(config)}.`,
        { fix: "start the server, which creates it: deskbell serve" },
      );
    if (cli.flags.json) cli.printObject({ token: metricsToken });
    else cli.io.stdout.write(`${metricsToken}\n`);
  },
});

export const definition = [rules, token];
