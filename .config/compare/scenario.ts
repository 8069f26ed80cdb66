/**
 * Command lines that use every group of commands. `{bkg}` is the last ID with this prefix that a
 * command printed; `{day}` is a Wednesday. Each line runs with `--json`. Lines that only read also
 * run without it.
 */
export const SCENARIO = `
seed all
businesses list
businesses show salon-aurora
catalog export --business salon-aurora
catalog export --business kita-live --format csv
catalog diff {folder}/salon.yaml
catalog apply {folder}/salon.yaml --dry-run
catalog apply {folder}/invalid.yaml
catalog schema
catalog history salon-aurora
services list --business salon-aurora
services show cut --business salon-aurora
services show nothing --business salon-aurora
services update cut --variant cut-junior --price 62.00 --duration 70 --business salon-aurora
services create --name 'Scalp detox' --duration 30 --price 35.00 --business salon-aurora
services update beard-trim --price 0 --business salon-aurora
services update beard-trim --price 1,5,5 --business salon-aurora
services set beard-trim
menu list --business cafe-lumen
menu show espresso --business cafe-lumen
menu update espresso --price 4.20 --business cafe-lumen
menu sold-out soup --business cafe-lumen
staff list --business salon-aurora
staff show maya --business salon-aurora
staff create --name 'Nadia Rossi' --key nadia --public no --business salon-aurora
staff update maya --title Founder --business salon-aurora
staff hours update maya --day wed --open 10:00-14:00 --business salon-aurora
staff delete nadia --business salon-aurora
promotions list --business salon-aurora
promotions update midweek-blowout --percent 25 --business salon-aurora
promotions end midweek-blowout --business salon-aurora
public-events list --business kita-live
public-events show blue-hour-quartet --business kita-live
public-events update blue-hour-quartet --name 'Blue hour' --business kita-live
hours list --business salon-aurora
hours update --day mon --open 09:00-18:00 --business salon-aurora
closures list --business salon-aurora
closures create --yearly 08-01 --name 'National holiday' --business salon-aurora
closures delete 08-01 --business salon-aurora
catalog undo --business salon-aurora --dry-run
catalog undo --business salon-aurora --yes
availability --service cut --from tomorrow --to tomorrow --business salon-aurora
availability --party 4 --date tomorrow --explain --business cafe-lumen
keys create --business salon-aurora --name website --scope services.read --scope bookings.write
keys create --business salon-aurora --name server --secret
keys list --business salon-aurora
keys show {key} --business salon-aurora
keys update {key} --limit-minute 300 --business salon-aurora
keys rotate {key} --business salon-aurora
webhooks create --url http://127.0.0.1:9/hook --name partner --event all --allow-private --business salon-aurora
webhooks list --business salon-aurora
webhooks show {whe} --business salon-aurora
webhooks update {whe} --name partner-2 --business salon-aurora
webhooks create --url ftp://example.com --name other --event all --business salon-aurora
bookings create --service cut --start {day}T11:00 --staff maya --name 'Ana Silva' --phone '+351 910 000 000' --business salon-aurora
bookings list --business salon-aurora
bookings show {bkg} --business salon-aurora
bookings reschedule {bkg} --start {nextDay}T11:00 --business salon-aurora
bookings create --service cut --start {nextDay}T11:15 --staff maya --business salon-aurora
time-off create maya --from {day} --to {nextDay} --business salon-aurora
time-off list --business salon-aurora
bookings cancel {bkg} --business salon-aurora
reservations create --party 4 --start {day}T19:30 --business cafe-lumen
reservations list --business cafe-lumen
reservations show {rsv} --business cafe-lumen
reservations cancel {rsv} --business cafe-lumen
ticket-orders create --public-event blue-hour-quartet --item seated*2 --business kita-live
ticket-orders list --business kita-live
ticket-orders show {tor} --business kita-live
ticket-orders confirm {tor} --business kita-live
tickets list --business kita-live
ticket-orders cancel {tor} --business kita-live
calendars create --staff maya --business salon-aurora
calendars list --business salon-aurora
calendars revoke {cal} --business salon-aurora
guests export --phone '+351 910 000 000' --business salon-aurora
guests erase --phone '+351 910 000 000' --business salon-aurora --yes
today --business salon-aurora
events list --business salon-aurora --limit 100
events show {evt} --business salon-aurora
events types
events trigger service.updated --business salon-aurora
deliveries list --business salon-aurora
deliveries show {dlv} --business salon-aurora
deliveries redeliver {dlv} --business salon-aurora
deliveries cancel --endpoint {whe} --business salon-aurora --yes
destinations create --name bus --url nats://127.0.0.1:9 --stream DESKBELL --all
destinations list
destinations show bus
destinations test bus
destinations delete bus --yes
webhooks disable {whe} --business salon-aurora
webhooks delete {whe} --business salon-aurora --yes
keys revoke {key} --business salon-aurora --yes
audit list --limit 200
alerts list
alerts test
metrics rules
metrics token
backup create
backup list
status
doctor
openapi
guide
guide first-hour
systemd-unit
proxy-map --format caddy {folder}/servers.txt
completion bash
businesses delete kita-live --yes
keys rotate-master
restore --newest --dry-run
restore --newest --yes
unknown
seed --generate 5 --random-seed 42
`
  .trim()
  .split("\n");

/** The verbs that change nothing. A line with one of them runs twice. */
export const READING =
  /^(\S+ )?(list|show|diff|history|export|schema|types|guide|status|doctor|today|rules)\b/;

/** Splits a line at spaces outside of single quotes. */
export const splitLine = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
