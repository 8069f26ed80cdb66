/** Bugs of the product that a proof found, and the commits that fixed them. Written by hand. */
export const BUGS_FOUND: readonly { bug: string; foundBy: string; commit: string }[] = [
  {
    bug: "One request without a key ended the daemon: a Host that no URL can have, with a path that needs escaping",
    foundBy: "`attack/malformed-requests`",
    commit: "ac632e0",
  },
  {
    bug: "An endpoint whose receiver worked again was disabled, because no attempt was due since then",
    foundBy: "`simulate/simulation`, seeds 309790 and 311399",
    commit: "e4f7e66",
  },
  {
    bug: "Of two daemons that started at the same moment, one could end with an internal error instead of exit code 5",
    foundBy: "`crash/two-daemons`, in 1 of 100 races",
    commit: "9089ab6",
  },
];

/** What the proofs do not show. */
export const NOT_COVERED: readonly string[] = [
  "Operating systems other than Linux, and file systems other than those of the machines above",
  "Disks that lose data after they have confirmed an fsync",
  "Attackers with access to the machine, and denial of service by more traffic than the network carries",
  "Availability of a second machine: deskbell is one daemon on one server",
  "Speed: `npm run bench` measures it",
];
