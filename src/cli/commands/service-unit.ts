import { realpathSync } from "node:fs";
import { IS_EXECUTABLE } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/shell-quote.ts";
import { command, type CommandGroup } from "../command.ts";
import { text } from "../flags.ts";
import { systemdUnit } from "../running/systemd-unit.ts";

const UNIT_PATH = "/etc/systemd/system/deskbell.service";
const USER = "deskbell";
const HOMES = /^\/(home|root|run\/user)\//;

const systemd = command({
  name: "systemd",
  about:
    "Print a unit for systemd that runs this deskbell locked in: it reaches its data and the network, nothing else.",
  flags: { user: text("name", `the system user that it runs as (${USER})`) },
  examples: [
    `service systemd | sudo tee ${UNIT_PATH}`,
    "service systemd --user www-data > deskbell.service",
  ],
  run(cli, { user = USER }) {
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user))
      throw new AppError("usage", `--user: '${user}' can be no user's name.`);
    const program = IS_EXECUTABLE
      ? [process.execPath]
      : [process.execPath, realpathSync(process.argv[1] ?? "")];
    const isInHome = program.some((path) => HOMES.test(path));
    const unit = systemdUnit({ program, user, isInHome });
    if (cli.flags.json) return cli.printObject({ path: UNIT_PATH, unit });
    cli.io.stdout.write(unit);
    cli.note(`This is ${UNIT_PATH}. To have it run from now on:
  sudo useradd --system --home-dir /var/lib/deskbell --shell /usr/sbin/nologin ${user}
  ${cli.program} service systemd${user === USER ? "" : ` --user ${user}`} | sudo tee ${UNIT_PATH}
  sudo systemctl daemon-reload && sudo systemctl enable --now deskbell
Its data are in /var/lib/deskbell; commands beside it run as its user:
  sudo -u ${user} ${program.map(shellQuote).join(" ")} status --data-dir /var/lib/deskbell`);
    if (isInHome)
      cli.note(
        "The program lies in a home folder, which the service must therefore see: move it to /opt if you can.",
      );
  },
});

export const service: CommandGroup = {
  name: "service",
  about: "Run deskbell as a service of the system.",
  commands: [systemd],
};
