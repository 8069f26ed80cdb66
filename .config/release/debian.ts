import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemdUnit } from "../../src/features/systemd/commands.ts";
import { ar, type Entry, gzip, tar } from "./archives.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const readText = (path: string): string => readFileSync(join(ROOT, path), "utf8");

export type DebianOptions = {
  version: string;
  architecture: "amd64" | "arm64";
  executable: Buffer;
  manPage: string;
  licences: string;
  /** Modification time of all files, in epoch seconds. */
  seconds: number;
};

// better-sqlite3's addon needs glibc 2.34, which Debian 12 and Ubuntu 22.04 have.
const DEPENDS = [
  "adduser",
  "debconf (>= 0.5) | debconf-2.0",
  "libatomic1",
  "libc6 (>= 2.34)",
  "libgcc-s1 (>= 3.0)",
  "libstdc++6 (>= 8)",
  // The unit reloads the certificate with /bin/kill, which is in procps.
  "procps",
];

const SETTINGS = "etc/deskbell.env";

/** Returns a Debian package, which installs and starts the service. */
export async function debianPackage(options: DebianOptions): Promise<Buffer> {
  const { seconds } = options;
  const files = await listFiles(options);
  const compress = async (name: string, entries: readonly Entry[]) => ({
    name: `${name}.tar.gz`,
    content: await gzip(tar(entries, seconds, "./")),
  });
  return ar(
    [
      { name: "debian-binary", content: Buffer.from("2.0\n") },
      await compress("control", controlFiles(options, files)),
      await compress("data", files),
    ],
    seconds,
  );
}

export const debianFileName = ({
  version,
  architecture,
}: Pick<DebianOptions, "version" | "architecture">): string =>
  `deskbell_${version}-1_${architecture}.deb`;

async function listFiles(options: DebianOptions): Promise<Entry[]> {
  const { version, executable, manPage, licences, seconds } = options;
  const program = "/usr/bin/deskbell";
  const doc = "usr/share/doc/deskbell";
  const date = new Date(seconds * 1000).toUTCString().replace("GMT", "+0000");
  const changes = `deskbell (${version}-1) stable; urgency=medium

  * See changelog.gz.

 -- deskbell <noreply@deskbell.dev>  ${date}
`;
  return [
    { path: program.slice(1), content: executable, mode: 0o755 },
    {
      path: "usr/lib/systemd/system/deskbell.service",
      content: systemdUnit({ program: [program], user: "deskbell", isInHome: false }),
    },
    // The settings can have secrets, such as the password of the mail server, so only root can read
    // the file. systemd reads it as root.
    { path: SETTINGS, content: SETTINGS_TEXT, mode: 0o600 },
    {
      path: "usr/share/bash-completion/completions/deskbell",
      content: readText("data/completion.bash"),
    },
    {
      path: "usr/share/zsh/vendor-completions/_deskbell",
      content: readText("data/completion.zsh"),
    },
    {
      path: "usr/share/fish/vendor_completions.d/deskbell.fish",
      content: readText("data/completion.fish"),
    },
    { path: "usr/share/man/man1/deskbell.1.gz", content: await gzip(manPage) },
    { path: `${doc}/changelog.gz`, content: await gzip(readText("data/changelog.md")) },
    { path: `${doc}/changelog.Debian.gz`, content: await gzip(changes) },
    { path: `${doc}/copyright`, content: COPYRIGHT },
    { path: `${doc}/licenses-of-packages.gz`, content: await gzip(licences) },
    { path: `${doc}/README.md`, content: readText("README.md") },
  ];
}

function controlFiles({ version, architecture }: DebianOptions, files: Entry[]): Entry[] {
  const script = (path: string, content: string): Entry => ({ path, content, mode: 0o755 });
  const bytes = files.reduce((sum, { content = "" }) => sum + Buffer.byteLength(content), 0);
  const sums = files
    .filter(({ path }) => path !== SETTINGS)
    .map(({ path, content = "" }) => `${hash("md5", content)}  ${path}\n`);
  return [
    {
      path: "control",
      content: `Package: deskbell
Version: ${version}-1
Architecture: ${architecture}
Maintainer: deskbell <noreply@deskbell.dev>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: ${DEPENDS.join(", ")}
Section: web
Priority: optional
Homepage: https://deskbell.dev
Description: catalog API with signed webhooks for a small business
 Serves the menu, services, staff, promotions and events of a restaurant, salon
 or venue to its partners over an HTTP API, and notifies them of every change
 with signed webhooks. It is administered from the command line and stored in
 one SQLite file.
`,
    },
    { path: "conffiles", content: `/${SETTINGS}\n` },
    { path: "md5sums", content: sums.sort().join("") },
    { path: "templates", content: PURGE_QUESTION },
    script("postinst", POSTINST),
    script("prerm", PRERM),
    script("postrm", POSTRM),
  ];
}

const SETTINGS_TEXT = `# Settings of the deskbell service, one per line. After a change: systemctl restart deskbell
# All of them are in deskbell(1).
#DESKBELL_PORT=4100
#DESKBELL_PUBLIC_URL=https://api.example.com
#DESKBELL_TRUSTED_PROXIES=127.0.0.1
#DESKBELL_ALERT_URL=https://ntfy.sh/your-topic
`;

const COPYRIGHT = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: deskbell
Source: https://deskbell.dev
Comment: The program contains Node.js and packages of npm. Their licences are in
 licenses-of-packages.gz.

Files: *
Copyright: the deskbell authors
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
`;

const PURGE_QUESTION = `Template: deskbell/purge-data
Type: boolean
Default: false
Description: Delete the data of deskbell, with all its backups?
 /var/lib/deskbell contains the catalogs, API keys, bookings and webhooks, the
 master key that decrypts their secrets, and the local backups. They cannot be
 restored from anywhere else unless you keep copies on another disk.
`;

const POSTINST = `#!/bin/sh
set -e

# Loads the question that purge asks.
. /usr/share/debconf/confmodule

if [ "$1" = configure ]; then
  adduser --system --group --quiet --no-create-home --home /var/lib/deskbell \\
    --shell /usr/sbin/nologin --gecos "deskbell" deskbell
  # The service makes the folder with the same owner and mode. Commands may run before it.
  if [ ! -e /var/lib/deskbell ]; then
    install -d -m 0700 -o deskbell -g deskbell /var/lib/deskbell
  fi
fi

# The service must not inherit the pipes to debconf.
db_stop

case "$1" in
  configure | abort-upgrade | abort-deconfigure | abort-remove)
    deb-systemd-helper unmask deskbell.service >/dev/null || true
    if deb-systemd-helper --quiet was-enabled deskbell.service; then
      deb-systemd-helper enable deskbell.service >/dev/null || true
    else
      # The administrator has disabled it.
      deb-systemd-helper update-state deskbell.service >/dev/null || true
    fi
    if [ -d /run/systemd/system ]; then
      systemctl --system daemon-reload >/dev/null || true
      if [ -n "$2" ]; then action=restart; else action=start; fi
      deb-systemd-invoke "$action" deskbell.service >/dev/null || true
    fi
    ;;
esac
`;

const PRERM = `#!/bin/sh
set -e

if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop deskbell.service >/dev/null || true
fi
`;

const POSTRM = `#!/bin/sh
set -e

if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi

if [ "$1" = purge ]; then
  if [ -x /usr/bin/deb-systemd-helper ]; then
    deb-systemd-helper purge deskbell.service >/dev/null || true
  fi
  rm -rf /var/cache/deskbell

  # Without debconf or somebody to ask, the data stay. To delete them without a question:
  # echo "deskbell deskbell/purge-data boolean true" | debconf-set-selections
  if [ -e /usr/share/debconf/confmodule ]; then
    . /usr/share/debconf/confmodule
    if [ -d /var/lib/deskbell ]; then
      db_input high deskbell/purge-data || true
      db_go || true
      db_get deskbell/purge-data || RET=false
      if [ "$RET" = true ]; then
        rm -rf /var/lib/deskbell
        if [ -x /usr/sbin/deluser ]; then deluser --system --quiet deskbell 2>/dev/null || true; fi
      else
        echo "The data of deskbell are still in /var/lib/deskbell." >&2
      fi
    fi
    db_purge
  fi
fi
`;
