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
    const { ALERTING_RULES } = await import("../../domain/conditions/alerting-rules.ts");
    if (cli.flags.json) cli.printObject({ rules: ALERTING_RULES });
    else cli.io.stdout.write(ALERTING_RULES);
  },
});

export const definition = [rules];
