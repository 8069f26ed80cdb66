/** Texts that name a command and have no case here, by the reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "It is no command.": ["a deskbell catalog is for a single location", "deskbell catalog file"],
  "It describes a command, in the reference of the API, a help text or a file.": [
    "# Written by deskbell proxy-map. Run it again when a business is added or removed.",
    "Requests to the API since the previous call, for `deskbell requests tail`: without paths, queries, bodies, addresses and credentials. The server keeps at most 1,000, and none while nobody asks. Requires the same token as `/metrics`.",
    "Requires the metrics token as a bearer token, which `deskbell metrics token` prints on the server.",
    "The URL, which `deskbell calendars create` prints, is secret and can be revoked. Calendar apps poll it at their own interval.",
    "The businesses of the server and its open health conditions, for `deskbell proxy-map` and `deskbell status --servers`. Requires the same token as `/metrics`.",
    "file with a bearer token for /metrics, besides the one that deskbell metrics token prints",
  ],
  "The command is run elsewhere: on another server, on the proxy, or by the partner's contact.": [
    "The metrics token is required: send Authorization: Bearer <TOKEN>. On the server, `deskbell metrics token` prints it.",
    "run deskbell handover on the other server; if that is impossible, stop it or switch its machine off, then add --fenced",
    "run the command on that server; to return to this one, run deskbell handover there, then deskbell restore --latest {} here",
    "to return to this server, run deskbell handover there, then deskbell restore --latest {} here",
    "add the address of this machine at the end of a line, and run deskbell proxy-map on the proxy",
    "on that server, run deskbell metrics token > FILE, and add --metrics-token-file FILE here; if there are several servers, start each with serve --metrics-token-file and the same FILE",
    "on the other machine, upgrade deskbell and run deskbell backup, which it copies within a minute",
    "on the server that should not have it: deskbell businesses delete SLUG",
    "stop the one that the other has taken over from: deskbell guide more-than-one-machine",
    "use the whole key, as printed by deskbell keys create",
    "copy the keyHash that deskbell partners create --json printed on the first server",
  ],
  "A desk shows it, on a page that is older than the catalog.": ["deskbell services list"],
  "The live view draws it on its screen.": [
    "More than 10 000 deliveries: use deskbell deliveries redeliver --rate instead.",
    "No endpoints. Add one with deskbell webhooks create.",
    "Start the daemon with deskbell serve.",
    "deskbell webhooks rotate-secret {} --finish",
    "… full body: deskbell events show {} --json",
  ],
  "The command, or the one that prints it, runs until Ctrl-C.": [
    "deskbell deliveries tail",
    "deskbell serve --alert-links --public-url https://api.example.com",
    "deskbell serve --guest-mail bookings@example.com --public-url https://api.example.com",
    "deskbell services update beard-trim --price 99.00 --business {} --data-dir {}",
  ],
  "Only a daemon prints it, in its log or an alert.": [
    "deskbell alerts test --alert-mail YOU@example.com --smtp-url-file FILE",
    "deskbell guest-mail list --unsent --business {}",
    "deskbell deliveries list --status EXHAUSTED --endpoint {}",
    "deskbell doctor",
    "deskbell status",
    "deskbell ticket-orders confirm {} --business {}",
    "give it the token that `deskbell metrics token` prints: deskbell guide alerts",
    "start the daemon again, which makes a copy when it stops: deskbell serve --backup-dir {}",
    "stop the daemon, put the data folder back or restore a backup, and start the daemon: deskbell restore FILE",
  ],
  "The person changes the firewall, or gets a certificate.": [
    "block {} in the firewall; if it is a proxy of yours: deskbell serve --trusted-proxy {}",
    "deskbell serve --tls-cert FILE --tls-key FILE",
  ],
  "The daemon ends or hangs while a command waits for it.": [
    "deskbell status; a daemon of an older version must be restarted first",
    "start it again, which ends the handover: deskbell serve",
  ],
  "The person ends a program, which is another one or a daemon that hangs.": [
    "restart it: deskbell serve",
    "stop it (kill {}), and let it read a backup instead: deskbell backup",
  ],
  "A disk or folder has to fail, which the person repairs.": [
    "check its disk, owner and mode; then deskbell serve --backup-dir {} completes the takeover",
    "deskbell backup verify {}; if it is valid, check the disk of the copy",
    "deskbell backup, which waits until the daemon has copied it",
    "look for disk errors with dmesg; on a working disk, restore a backup: deskbell backup list",
    "restore an earlier backup: deskbell backup list",
    "run the command by hand, with DESKBELL_BACKUP_FILE set to a backup (deskbell backup list)",
  ],
  "Stored admission codes have to be damaged; the test of the message does so.": [
    "deskbell ticket-orders reissue {}",
  ],
  "It appears only if the feature with the sample data is removed.": [
    "deskbell catalog apply FILE",
  ],
  "No command reaches it: objects of these kinds are named by IDs that exist.": [
    "deskbell catalog export",
  ],
};
