import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadOtherVisits } from "../../../app/bookings/other-visits.ts";
import { applyCatalog } from "../../../app/catalog/catalog.ts";
import { editObject } from "../../../app/catalog/changes/edit-object.ts";
import type { ChangeResult } from "../../../app/catalog/changes/plan-change.ts";
import { getBusiness } from "../../../app/businesses.ts";
import { createEndpoint } from "../../../app/webhooks/endpoints.ts";
import { createKey } from "../../../app/keys.ts";
import { PRESETS, readPreset } from "../../../platform/assets.ts";
import { readConfig } from "../../../config.ts";
import type { AttemptReport } from "../../../delivery/delivery-worker.ts";
import { bookSampleVisits } from "./sample-visits.ts";
import { createDesk, createDeskLink } from "../../desk/desks.ts";
import { DESK_RIGHTS } from "../../desk/rules.ts";
import { publishPage } from "../../public-pages/publish.ts";
import { startReceiver } from "../../webhook-tools/sample-receiver.ts";
import { EVENT_TYPES } from "../../../domain/events/event-types.ts";
import { safe } from "../../../domain/text.ts";
import { openRuntime, type Runtime } from "../../../app/runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { Cli } from "../../../cli/cli.ts";
import { type Daemon, startDaemon } from "../../../cli/running/daemon.ts";
import { findFreePort } from "../../../cli/running/port.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { withEdits } from "../../../cli/objects/edits.ts";
import { startPictures } from "./pictures.ts";

const API_PORT = 4100;
const RECEIVER_PORT = 4200;
const PICTURES_PORT = 4210;
const EDIT_EVERY_MS = 20_000;
const BUSY_TIMEOUT_MS = 5000;
/** The business whose desk is shown and whose prices change. */
const DESK_BUSINESS = "salon-aurora";

export type Demo = {
  rt: Runtime;
  /** Resolves with the reason if the daemon of the demo must end. */
  failed: Promise<string>;
  stop: () => Promise<void>;
};
export type DemoOptions = {
  port: number | undefined;
  /** Whether the data folder is kept when the demo ends. */
  keep: boolean;
  printAttempts: boolean;
};

/**
 * Starts deskbell on temporary data, with a webhook receiver and a timer that changes prices.
 */
export async function startDemo(cli: Cli, options: DemoOptions): Promise<Demo> {
  const resources = new AsyncDisposableStack();
  try {
    const { rt, failed } = await assemble(cli, options, resources);
    return { rt, failed, stop: () => resources.disposeAsync() };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function assemble(
  cli: Cli,
  { port, keep, printAttempts }: DemoOptions,
  resources: AsyncDisposableStack,
): Promise<Daemon & { rt: Runtime }> {
  const say = (line: string) => void cli.io.stdout.write(`${line}\n`);
  const sayDone = (step: string, text: string) =>
    say(`${cli.paint("green", "✓")} ${step.padEnd(9)} ${text}`);

  const dataDir = mkdtempSync(join(tmpdir(), "deskbell-demo-"));
  // An exit handler also runs after a second Ctrl-C or an unexpected error.
  if (!keep) process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const config = readConfig({ dataDir, allowHttp: true, allowPrivate: ["127.0.0.0/8"] });
  if (!printAttempts) resources.defer(divertLog(join(dataDir, "demo.log")));
  await loadOtherVisits();
  // The price changes and the daemon use different connections, as two processes would.
  const rt = openRuntime(config, BUSY_TIMEOUT_MS);
  resources.defer(rt.close);
  sayDone("data", `${safe(dataDir)} (${keep ? "kept" : "removed at exit; --keep keeps it"})`);

  const pictures = await startPictures(PICTURES_PORT);
  resources.defer(pictures.close);
  // Times in the sample files are relative to this time.
  const seedingAt = rt.now();
  const seeded = PRESETS.map((preset) => {
    const text = pictures.illustrate(readPreset(preset));
    return applyCatalog(rt, [{ name: `${preset}.yaml`, text }], { seedingAt });
  });
  for (const { slug } of seeded) publishPage(rt, slug);
  sayDone("seeded", seeded.map(describeSeeded).join(" · "));

  const business = getBusiness(rt, DESK_BUSINESS);
  const website = createKey(rt, {
    businessId: business.id,
    name: "Website",
    kind: "RESTRICTED",
    scopes: ["bookings.write"],
  });
  await bookSampleVisits(rt, website.key);
  const receiver = await subscribeReceiver(rt, business);
  resources.defer(receiver.close);
  const daemon = await startDaemon(config, {
    host: "127.0.0.1",
    port: port ?? (await findFreePort(API_PORT)),
    ...(printAttempts && { onAttempt: (attempt) => say(attemptLines(attempt, receiver.refusals)) }),
  });
  resources.defer(daemon.stop);
  sayDone("API", `${daemon.url}/v1      docs ${daemon.url}/docs`);
  sayDone("receiver", `${receiver.url}    verifying signatures`);
  for (const { slug } of seeded) sayDone("page", `${daemon.url}/b/${slug}`);

  sayDone("desk", `${daemon.url}/b/${DESK_BUSINESS}/desk/pair/${createDemoLink(rt, business)}`);

  const scopes = ["services.read", "webhooks.write"];
  const { secret } = createKey(rt, {
    businessId: business.id,
    name: "demo",
    kind: "RESTRICTED",
    scopes,
  });
  say(
    `try:  curl -H "Authorization: Bearer ${secret}" "${daemon.url}/v1/businesses/${DESK_BUSINESS}/services?includeVariants=true"`,
  );
  say(
    `      ${cli.program} services update beard-trim --price 99.00 --business ${DESK_BUSINESS} --data-dir ${safe(dataDir)}`,
  );

  startEditing(rt, business, resources);
  return { ...daemon, rt };
}

/**
 * Writes the log to a file, because its lines would overwrite the live view.
 * @returns a function that sends the log to standard error again and closes the file
 */
function divertLog(path: string): () => void {
  const file = createWriteStream(path, { mode: 0o600 });
  const { write } = process.stderr;
  process.stderr.write = file.write.bind(file);
  return () => {
    process.stderr.write = write;
    file.end();
  };
}

/** Creates a desk with all rights. @returns the token of the link that pairs a device with it */
function createDemoLink(rt: Runtime, business: BusinessRow): string {
  const { name } = createDesk(rt, business, {
    name: "Front desk",
    staffId: null,
    allow: [...DESK_RIGHTS],
  });
  return createDeskLink(rt, business.id, name).token;
}

async function subscribeReceiver(rt: Runtime, business: BusinessRow) {
  // The port is chosen first: the URL of the endpoint contains the port, and the receiver needs the
  // signing secret of the endpoint before it starts.
  const port = await findFreePort(RECEIVER_PORT);
  const url = `http://127.0.0.1:${port}/hook`;
  const { secret } = await createEndpoint(rt, {
    businessId: business.id,
    keyId: null,
    name: "demo receiver",
    url,
    events: EVENT_TYPES,
    allowPrivate: true,
  });
  const refusals = new Map<string, string>();
  const { close } = await startReceiver({
    port,
    secret,
    now: rt.now,
    onDelivery({ deliveryId, error }) {
      if (error !== undefined) refusals.set(deliveryId, error);
    },
  });
  return { url, refusals, close };
}

function startEditing(rt: Runtime, business: BusinessRow, resources: AsyncDisposableStack): void {
  let edits = 0;
  const edit = () => editNextPrice(rt, business, edits++);
  edit();
  const timer = setInterval(edit, EDIT_EVERY_MS);
  resources.defer(() => clearInterval(timer));
}

/** Returns a text such as `cafe-lumen 64 dishes`: the most frequent objects of a business. */
function describeSeeded({ slug, changes }: ChangeResult): string {
  const nouns = { menu_item: "dishes", service: "services", public_event: "events" } as const;
  const counts = Object.entries(nouns).map(([kind, noun]) => ({
    noun,
    count: changes.filter((change) => change.kind === kind).length,
  }));
  const most = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return `${slug} ${most.count} ${most.noun}`;
}

/** @param refusals why the receiver refused a delivery, by the delivery's ID */
function attemptLines(attempt: AttemptReport, refusals: ReadonlyMap<string, string>): string {
  const { eventType, eventId, deliveryId, statusCode, outcome, url, durationMs } = attempt;
  const refused = refusals.get(deliveryId);
  const signature =
    outcome !== "responded"
      ? ""
      : refused === undefined
        ? "signature ok"
        : `refused: ${safe(refused)}`;
  return `  --> ${eventType} ${eventId}\n <--  ${statusCode ?? outcome} POST ${url}  ${Math.round(durationMs)} ms  ${signature}`;
}

const STEP_CENTS = 100;

/**
 * Changes the price of one service, as `services update` would. The services take turns: the first
 * round raises each price by `STEP_CENTS`, the next one lowers it again.
 * @param n the number of the price change, from 0
 */
export function editNextPrice(rt: Runtime, business: BusinessRow, n: number): ChangeResult {
  const services = rt.store.catalog
    .listByKind(business.id, "service")
    .filter(({ priceType, status }) => priceType === "FIXED" && status === "ACTIVE");
  const service = services[n % services.length];
  if (!service) throw new Error(`${business.slug} has no service with a price`);
  const step = Math.floor(n / services.length) % 2 === 0 ? STEP_CENTS : -STEP_CENTS;
  return editObject(
    rt,
    business.slug,
    "service",
    objectId("service", business.slug, service),
    (doc) => withEdits(doc, { priceCents: doc.priceCents + step }),
  );
}
