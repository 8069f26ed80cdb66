import { realpathSync } from "node:fs";
import { IS_EXECUTABLE } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/text.ts";
import { command } from "../command.ts";
import { text } from "../flags.ts";
import { systemdUnit } from "../running/systemd-unit.ts";

const UNIT_PATH = "/etc/systemd/system/deskbell.service";
const USER = "deskbell";
const HOME_FOLDERS = /^\/(home|root|run\/user)\//;

export const systemdUnitCommand = command({
  name: "systemd-unit",
  about: "Print a systemd unit that runs this program in a sandbox.",
  flags: { user: text("name", `system user to run as (default ${USER})`) },
  examples: [
    `systemd-unit | sudo tee ${UNIT_PATH}`,
    "systemd-unit --user www-data > deskbell.service",
  ],
  run(cli, { user = USER }) {
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user))
      throw new AppError("usage", `Invalid --user '${user}': use a system user such as ${USER}.`);
    const program = IS_EXECUTABLE
      ? [process.execPath]
      : [process.execPath, realpathSync(process.argv[1] ?? "")];
    const isInHome = program.some((path) => HOME_FOLDERS.test(path));
    const unit = systemdUnit({ program, user, isInHome });
    if (cli.flags.json) return cli.printObject({ path: UNIT_PATH, unit });
    cli.io.stdout.write(unit);
    cli.note(`To install it as ${UNIT_PATH} and start it:
  sudo useradd --system --home-dir /var/lib/deskbell --shell /usr/sbin/nologin ${user}
  ${cli.program} systemd-unit${user === USER ? "" : ` --user ${user}`} | sudo tee ${UNIT_PATH}
  sudo systemctl daemon-reload && sudo systemctl enable --now deskbell
Its data is in /var/lib/deskbell. Run commands on it as its user:
  sudo -u ${user} ${program.map(shellQuote).join(" ")} status --data-dir /var/lib/deskbell`);
    if (isInHome)
      cli.note(
        "The program is in a home folder, so the service can read home folders. Move it to /opt if you can.",
      );
  },
});
