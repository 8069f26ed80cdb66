import { hash } from "node:crypto";
import { globSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Entry, gzip, tar } from "./archives.ts";

export type ImageOptions = {
  version: string;
  architecture: "amd64" | "arm64";
  executable: Buffer;
  /**
   * The SQLite addon. The image contains it as a file, so that the executable need not unpack it.
   */
  addon: Buffer;
  licences: string;
  /** Folder with Debian's libraries. */
  libraries: string;
  seconds: number;
};

/** ID of the user and group that run the program. */
const USER_ID = 10_001;
const DATA = "var/lib/deskbell";
const ADDONS = "usr/lib/deskbell";

/**
 * Patterns of the libraries that Node needs from Debian, and of the licences of these libraries.
 * The image has no shell.
 */
const NEEDED = [
  "{lib,lib64}/**/ld-linux*.so.*",
  "{lib,usr/lib}/**/lib{c,m,dl,pthread,gcc_s,atomic,stdc++}.so.*",
  "usr/share/doc/*/copyright",
];

/**
 * Returns the first layer: libraries, and files that the C library reads. This layer changes only
 * when Debian's packages change.
 */
function systemFiles(libraries: string): Entry[] {
  const found = NEEDED.flatMap((pattern) => globSync(pattern, { cwd: libraries })).map((name) => {
    const [source, path] = [join(libraries, name), name.replace(/^lib/, "usr/lib")];
    return lstatSync(source).isSymbolicLink()
      ? { path, link: readlinkSync(source) }
      : { path, content: readFileSync(source), mode: lstatSync(source).mode & 0o777 };
  });
  const folders = new Set(found.map(({ path }) => path.split("/").slice(0, 2).join("/")));
  return [
    ...found,
    { path: "lib", link: "usr/lib" },
    ...(folders.has("usr/lib64") ? [{ path: "lib64", link: "usr/lib64" }] : []),
    { path: "etc/nsswitch.conf", content: "hosts: files dns\n" },
    {
      path: "etc/passwd",
      content: `root:x:0:0:root:/:/sbin/nologin\ndeskbell:x:${USER_ID}:${USER_ID}::/${DATA}:/sbin/nologin\n`,
    },
    { path: "etc/group", content: `root:x:0:\ndeskbell:x:${USER_ID}:\n` },
    { path: "tmp", mode: 0o1777 },
    ...["dev", "proc", "sys"].map((path) => ({ path })),
  ];
}

/** Returns the second layer: the program and its empty data folder. */
const programFiles = ({ executable, addon, licences }: ImageOptions): Entry[] => [
  { path: "usr/bin/deskbell", content: executable, mode: 0o755 },
  // The addon is already unpacked, because the file system is read-only. src/platform/addon.ts
  // looks for a file with this name.
  { path: `${ADDONS}/${hash("sha256", addon)}.node`, content: addon, mode: 0o755 },
  { path: "usr/share/doc/deskbell/LICENSES-OF-PACKAGES", content: licences },
  { path: DATA, mode: 0o700, owner: USER_ID },
];

type Blob = { mediaType: string; digest: string; size: number };

/**
 * Returns a container image as an archive that `docker load` and `podman load` read. The archive is
 * an OCI image layout, with Docker's manifest for older versions.
 */
export async function containerImage(options: ImageOptions): Promise<Buffer> {
  const { version, architecture, seconds } = options;
  const blobs: Entry[] = [];
  const addBlob = (mediaType: string, content: Buffer): Blob => {
    const sha256 = hash("sha256", content);
    blobs.push({ path: `blobs/sha256/${sha256}`, content });
    return { mediaType, digest: `sha256:${sha256}`, size: content.length };
  };
  const addJson = (mediaType: string, value: object): Blob =>
    addBlob(mediaType, Buffer.from(JSON.stringify(value)));

  const tars = [systemFiles(options.libraries), programFiles(options)].map((entries) =>
    tar(entries, seconds),
  );
  const layers: Blob[] = [];
  for (const layer of tars)
    layers.push(addBlob("application/vnd.oci.image.layer.v1.tar+gzip", await gzip(layer)));
  const config = addJson("application/vnd.oci.image.config.v1+json", {
    created: new Date(seconds * 1000).toISOString(),
    architecture,
    os: "linux",
    config: containerConfig(version),
    rootfs: { type: "layers", diff_ids: tars.map((layer) => `sha256:${hash("sha256", layer)}`) },
  });
  const manifest = addJson("application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config,
    layers,
  });

  const json = (path: string, value: object) => ({ path, content: JSON.stringify(value) });
  const pathOf = ({ digest }: Blob) => `blobs/${digest.replace(":", "/")}`;
  const name = `deskbell:${version}`;
  return tar(
    [
      ...blobs,
      json("oci-layout", { imageLayoutVersion: "1.0.0" }),
      json("index.json", {
        schemaVersion: 2,
        mediaType: "application/vnd.oci.image.index.v1+json",
        manifests: [
          {
            ...manifest,
            platform: { architecture, os: "linux" },
            annotations: {
              "io.containerd.image.name": `docker.io/library/${name}`,
              "org.opencontainers.image.ref.name": version,
            },
          },
        ],
      }),
      json("manifest.json", [
        { Config: pathOf(config), RepoTags: [name], Layers: layers.map(pathOf) },
      ]),
    ],
    seconds,
  );
}

const SECOND_NS = 1_000_000_000;

/**
 * Returns the configuration with which the container runs the program. No init process is needed,
 * because the program handles signals itself, even as process 1.
 */
const containerConfig = (version: string) => ({
  User: `${USER_ID}:${USER_ID}`,
  WorkingDir: `/${DATA}`,
  Entrypoint: ["/usr/bin/deskbell"],
  Cmd: ["serve"],
  Env: [
    "PATH=/usr/bin",
    `DESKBELL_DATA_DIR=/${DATA}`,
    `DESKBELL_CACHE_DIR=/${ADDONS}`,
    "DESKBELL_HOST=0.0.0.0",
    "DESKBELL_LOG_FORMAT=json",
  ],
  ExposedPorts: { "4100/tcp": {} },
  Volumes: { [`/${DATA}`]: {} },
  StopSignal: "SIGTERM",
  // Docker reads the health check; other programs ignore it.
  Healthcheck: {
    Test: ["CMD", "deskbell", "status", "--severity", "critical"],
    Interval: 60 * SECOND_NS,
    Timeout: 10 * SECOND_NS,
    StartPeriod: 30 * SECOND_NS,
  },
  Labels: {
    "org.opencontainers.image.title": "deskbell",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "Apache-2.0",
    "org.opencontainers.image.url": "https://deskbell.dev",
  },
});
