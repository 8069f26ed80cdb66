import { AppError } from "../../domain/errors.ts";

export type UnitOptions = {
  /** The program by its absolute path, with what comes before it. */
  program: readonly string[];
  user: string;
  /** Whether a part of the program lies in somebody's home, which is hidden from services otherwise. */
  isInHome: boolean;
};

/** One word of ExecStart. A program's path cannot be told to systemd with every character, however it is escaped. */
function execWord(path: string): string {
  if (!/["'\\$\p{Cc}]/u.test(path)) return `"${path.replaceAll("%", "%%")}"`;
  throw new AppError("state_refuses", `systemd starts no program at such a path: ${path}`, {
    fix: "move it to a folder with a plain name, such as /opt/deskbell",
  });
}

/**
 * The daemon as a systemd service that can reach its data and the network, and nothing else.
 * @throws AppError state_refuses
 */
export const systemdUnit = ({
  program,
  user,
  isInHome,
}: UnitOptions): string => `# Made by: deskbell service systemd
[Unit]
Description=deskbell: a catalog API and signed webhooks
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=${program.map(execWord).join(" ")} serve
# Settings, a line each: DESKBELL_PORT=4100, DESKBELL_PUBLIC_URL=https://api.example.com, DESKBELL_ALERT_URL=https://…
EnvironmentFile=-/etc/deskbell.env
User=${user}
# The data: /var/lib/deskbell, for this user alone.
StateDirectory=deskbell
StateDirectoryMode=0700
# Where the single executable unpacks SQLite.
CacheDirectory=deskbell
CacheDirectoryMode=0700
UMask=0077
# A wrong option or a missing right is not mended by another start; a damaged disk, a full one, a taken port may be.
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 4
# What is on the wire is finished within 10 s.
TimeoutStopSec=20
LimitNOFILE=65536

# To listen on a port below 1024, take the comment signs from these two and say PrivateUsers=no further down.
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
SystemCallErrorNumber=EPERM
# V8 writes the machine code that it runs.
MemoryDenyWriteExecute=no

[Install]
WantedBy=multi-user.target
`;
