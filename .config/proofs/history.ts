/**
 * Bugs that a proof found in deskbell, and the commits that fixed them. The list is written by
 * hand.
 */
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
  {
    bug: "A power cut right after the first webhook endpoint was created could take the new master key away, and with it the signing secret",
    foundBy: "`power/power-cuts`",
    commit: "2c7b5de",
  },
  {
    bug: "A database with a damaged index or an incomplete last page passed the check at the start, and one with a damaged document was reported as a bug in deskbell",
    foundBy: "`faults/damaged-databases`",
    commit: "158e5d8",
  },
  {
    bug: "`webhooks rotate-secret --force` ended the old secret at once if the master key could not be read at that moment",
    foundBy: "`faults/disk-faults`",
    commit: "2239512",
  },
  {
    bug: "A restore during which one write failed could exit with 0 and leave a damaged database",
    foundBy: "`faults/disk-faults`, write 241 of `restore`",
    commit: "8f0c0e2",
  },
  {
    bug: "Errors of a disk in the master key, the list of erased guests and new files did not name the file",
    foundBy: "`faults/disk-faults`",
    commit: "2c7b5de",
  },
  {
    bug: "A clock that was set back while the daemon was down, and forward again while it ran, delayed new deliveries by as much",
    foundBy: "`simulate/broken-disk`, seed 20261174",
    commit: "4d4e7f8",
  },
  {
    bug: "Two servers that were restored from the same copy could use the same sequence numbers, so that a cursor of the first one was not 410 on the second",
    foundBy: "`faults/takeovers`, seed 20261122",
    commit: "b257e32",
  },
  {
    bug: "A database in whose schema a byte had changed gave an error of SQLite without a fix, could start, and was backed up by copies that `restore` rejects",
    foundBy: "`faults/damaged-databases`, seed 20261122",
    commit: "cf07952",
  },
  {
    bug: "A database that had lost the only row of a table gave an internal error instead of being reported as damaged",
    foundBy: "`faults/damaged-databases`, seed 777",
    commit: "24f683a",
  },
  {
    bug: "A backup that had just been made was deleted at once, because seven others had later times after the clock had been ahead",
    foundBy: "`faults/takeovers` with clocks that differ",
    commit: "c5c935f",
  },
  {
    bug: "`explain=true` left out starts that were refused",
    foundBy: "`simulate/documented-availability`",
    commit: "9b99c7d",
  },
  {
    bug: "Errors of a full or failing disk during `backup` and `restore` did not name the file if writing the tag, a copy or the epoch failed",
    foundBy: "`faults/disk-faults`, writes 11, 14 and 201",
    commit: "cabe65a",
  },
  {
    bug: "A database with two swapped pages, in which a stored time was none, gave an internal error instead of being reported as damaged",
    foundBy: "`faults/damaged-databases`, seed 602214",
    commit: "ddf8d9e",
  },
  {
    bug: "The key of a booking form, with which its browser finds the visit for a day, was stored as it is",
    foundBy: "`attack/page-canaries`",
    commit: "80c1971",
  },
  {
    bug: "After an upgrade from version 0.2, clients kept their old copy of a business without its new fields, because its ETag stayed the same",
    foundBy: "`faults/upgrades`",
    commit: "ef2fd7d",
  },
  {
    bug: "Strangers with mailboxes of two domains took up to a fifth of the free time of a week on a booking page that sends mails",
    foundBy: "`attack/page-share`",
    commit: "1caf4bf",
  },
  {
    bug: "A daemon that started refused to run beside another one on a busy machine, while a command only asked whether a daemon runs",
    foundBy: "`faults/splits`, seed 345853 at load 20",
    commit: "033573d",
  },
  {
    bug: "`status` called a database with damage inside a stored document a bug in deskbell",
    foundBy: "`faults/damaged-databases`, seed 606060",
    commit: "8e7cd6e",
  },
  {
    bug: "A delivery was sent too early after the clock was set, because the disk was full before the new times were stored",
    foundBy: "`simulate/broken-disk`, seed 730584",
    commit: "b79d9ba",
  },
  {
    bug: "The documentation did not say when hours end that end at a time which the clock skips",
    foundBy: "`simulate/documented-availability`, seed 730411",
    commit: "3f78aee",
  },
];

export const NOT_COVERED: readonly string[] = [
  "Operating systems other than Linux, and file systems other than that of the machine named in this report",
  "Disks that lose data after they have confirmed an fsync",
  "Bytes of the catalog that a disk changes into other valid ones: only events and backups have checksums",
  "Attackers with access to the machine, and denial of service by more traffic than the network carries",
  "What a command stores in the second before the daemon notices that the clock was changed: it is shifted with what was stored before",
  "Speed: `npm run bench` measures it",
];
