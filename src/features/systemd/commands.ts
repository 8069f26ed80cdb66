import { realpathSync } from "node:fs";
import { IS_EXECUTABLE } from "../../platform/assets.ts";
import { shellQuote } from "../../domain/text.ts";
import { command } from "../../cli/command.ts";
import { text } from "../../cli/flags.ts";
import { usageError } from "../../cli/failure.ts";
import { AppError } from "../../domain/errors.ts";

const UNIT_PATH = "/etc/systemd/system/deskbell.service";
const USER = "deskbell";
const HOME_FOLDERS = /^\/(home|root|run\/user)\//;

export const definition = command({
  flags: { user: text("name", `system user to run as (default ${USER})`) },
  examples: [
    `systemd-unit | sudo tee ${UNIT_PATH}`,
    "systemd-unit --user www-data > deskbell.service",
  ],
  run(cli, { user = USER }) {
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user))
      throw usageError(`Invalid --user '${user}': use a system user such as ${USER}.`);
    const program = IS_EXECUTABLE
      ? [process.execPath]
      : [process.execPath, realpathSync(process.argv[1] ?? "")];
    const isInHome = program.some((path) => HOME_FOLDERS.test(path));
    const unit = systemdUnit({ program, user, isInHome });
    if (cli.flags.json) return cli.printObject({ path: UNIT_PATH, unit });
    cli.printContent(unit);
    cli.note(
      `To install it as ${UNIT_PATH} and start it:`,
      `  sudo useradd --system --home-dir /var/lib/deskbell --shell /usr/sbin/nologin ${user}`,
      `  ${cli.program} systemd-unit${user === USER ? "" : ` --user ${user}`} | sudo tee ${UNIT_PATH}`,
      "  sudo systemctl daemon-reload && sudo systemctl enable --now deskbell",
      "Its data is in /var/lib/deskbell. Run commands on it as its user:",
      `  sudo -u ${user} ${program.map(shellQuote).join(" ")} status --data-dir /var/lib/deskbell`,
    );
    if (isInHome)
      cli.note(
        "The program is in a home folder, so the service can read home folders. Move it to /opt if you can.",
      );
  },
});

export type UnitOptions = {
  program: readonly string[];
  user: string;
  /** Whether the program is in a home folder, which the unit hides by default. */
  isInHome: boolean;
};

/**
 * Quotes a word of ExecStart. Throws for characters that systemd accepts in no path, even if they
 * are escaped.
 */
function execWord(path: string): string {
  if (!/["'\\$\p{Cc}]/u.test(path)) return `"${path.replaceAll("%", "%%")}"`;
  throw new AppError("state_refuses", `systemd cannot start a program at this path: ${path}`, {
    fix: "move it to a folder with a plain name, such as /opt/deskbell",
  });
}

/** Returns a unit that gives the daemon access to its data and the network only. */
export const systemdUnit = ({
  program,
  user,
  isInHome,
}: UnitOptions): string => `# Created by: deskbell systemd-unit
[Unit]
Description=deskbell: a catalog API and signed webhooks
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=${program.map(execWord).join(" ")} serve
# Reads a renewed certificate: systemctl reload deskbell
ExecReload=/bin/kill -HUP $MAINPID
# Settings, one per line: DESKBELL_PORT=4100, DESKBELL_PUBLIC_URL=https://api.example.com, DESKBELL_ALERT_URL=https://…
EnvironmentFile=-/etc/deskbell.env
User=${user}
# Data folder: /var/lib/deskbell, private to the user.
StateDirectory=deskbell
StateDirectoryMode=0700
# The single executable unpacks SQLite here.
CacheDirectory=deskbell
CacheDirectoryMode=0700
UMask=0077
# Sends an alert if the service has failed, at most once an hour; it needs DESKBELL_ALERT_URL or _MAIL in the file above.
ExecStopPost=-${program.map(execWord).join(" ")} alerts send --service-failure
# A restart does not help against a wrong option (2) or a missing permission (4).
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 4
# Requests and deliveries in flight finish within 15 s; then --backup-dir gets a last copy.
TimeoutStopSec=90
LimitNOFILE=65536

# To listen on a port below 1024, uncomment these two lines and set PrivateUsers=no below.
#AmbientCapabilities=CAP_NET_BIND_SERVICE
#CapabilityBoundingSet=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=${isInHome ? "read-only" : "yes"}
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
PrivateIPC=yes
PrivateMounts=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
DevicePolicy=closed
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
# Backups are made at low priority.
SystemCallFilter=setpriority
SystemCallErrorNumber=EPERM
# V8 compiles JavaScript to machine code at run time.
MemoryDenyWriteExecute=no

[Install]
WantedBy=multi-user.target
`;
