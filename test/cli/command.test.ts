import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CommandResult, createTempFolder, createTerminal } from "../support/cli.ts";
import { RESTAURANT, SALON, writeVenue } from "../support/samples.ts";

const CAFE = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
services:
  - key: cut
    name: Cut
    durationMin: 30
    price: 40.00
    variants: [{ key: long, name: Long hair, durationMin: 45, price: 55.00 }]
  - key: colour
    name: Colour
    durationMin: 60
    price: 80.00
    variants:
      - { key: roots, name: Roots, durationMin: 60, price: 80.00, default: true }
      - { key: full, name: Full, durationMin: 90, price: 120.00 }
  - { key: consultation, name: Consultation, durationMin: 15, priceType: FREE }
menu:
  categories: [{ key: soups, name: Soups }]
  items:
    - key: soup
      name: Soup
      categories: [soups]
      price: 9.50
      sizes: [{ key: cup, name: Cup, price: 6.00 }, { key: bowl, name: Bowl, price: 9.50 }]
`;

/** Returns a terminal whose data has one small business. */
async function createBusiness(options: Parameters<typeof createTerminal>[0] = {}) {
  const { deskbell, dataDir } = createTerminal(options);
  const { code, stderr } = await deskbell("catalog apply -", CAFE);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("joes: version 0 -> 1"),
  });
  return { deskbell, dataDir };
}

const data = <T = Record<string, unknown>>(ran: CommandResult): T => {
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return (JSON.parse(ran.stdout) as { data: T }).data;
};

test("services list prints TSV in a pipe, a table on a terminal, and whole objects with --json", async () => {
  const { deskbell, dataDir } = await createBusiness();
  const piped = await deskbell("services list");
  expect(piped.stdout.split("\n")[0]).toMatch(
    /^cut\tCut\t40\.00\t30\t1\tACTIVE\tsvc_[0-9a-z]{20}$/,
  );

  const shown = await createTerminal({ isTTY: true, dataDir }).deskbell("services list --no-color");
  expect(shown.stdout.split("\n").slice(0, 2)).toEqual([
    expect.stringMatching(/^KEY +NAME +PRICE +MIN +VARIANTS +STATUS +ID$/),
    expect.stringMatching(/^cut +Cut +40\.00 +30 +1 +ACTIVE +svc_[0-9a-z]{20}$/),
  ]);

  const [cut] = data<{ key: string; priceCents: number }[]>(await deskbell("services list --json"));
  expect(cut).toMatchObject({ key: "cut", priceCents: 4000, variants: [{ key: "long" }] });
});

test.each(["--json services list", "services --json list", "services list --json"])(
  "global options are accepted at any place: %s",
  async (line) => {
    const { deskbell } = await createBusiness();
    expect(data(await deskbell(line))).toHaveLength(3);
  },
);

test.each([
  ["80 columns", 80],
  ["unknown width", 0],
])("a list fits a terminal of %s and shows whole names", async (_, columns) => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON} ${RESTAURANT} ${writeVenue()}`);
  const screen = createTerminal({ dataDir, isTTY: true, columns });
  const lists = [
    ["services", "salon-aurora", "Signature cut "],
    ["menu", "cafe-lumen", "Birchermüesli "],
    ["staff", "salon-aurora", "Maya Okafor "],
    ["public-events", "kita-live", "Blue Hour Quartet "],
  ];
  for (const [noun, business, name] of lists) {
    const { stdout } = await screen.deskbell(`${noun} list --business ${business} --no-color`);
    expect(stdout).toContain(name);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  }
});

test("-q prints only errors on stderr", async () => {
  const { deskbell } = await createBusiness();
  expect(await deskbell("services update cut --price 41 -q")).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect((await deskbell("services update nothing --price 41 -q")).stderr).toContain("error: ");
});

test("services show finds a service by key or ID, and suggests a similar key", async () => {
  const { deskbell } = await createBusiness();
  const byKey = data<{ id: string }>(await deskbell("services show cut --json"));
  expect(data(await deskbell(`services show ${byKey.id} --json`))).toEqual(byKey);
  expect(await deskbell("services show cutt")).toMatchObject({
    code: 3,
    stderr:
      "error: There is no service 'cutt'. Did you mean 'cut'?\nfix: deskbell services list (exit 3)\n",
  });
});

test("--business is optional for the only business; otherwise the error lists the slugs", async () => {
  const { deskbell } = await createBusiness();
  expect(data(await deskbell("businesses show --json"))).toMatchObject({
    slug: "joes",
    objects: { service: 3 },
  });
  await deskbell("catalog apply -", CAFE.replace("slug: joes", "slug: annes"));
  expect(await deskbell("services list")).toMatchObject({
    code: 2,
    stderr:
      "error: There are several businesses; choose one.\nfix: add --business annes or joes (exit 2)\n",
  });
  expect(await deskbell("services list --business annes")).toMatchObject({ code: 0 });
  expect(await deskbell("services list --business anne")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Did you mean 'annes'?"),
  });
});

test("catalog apply reports prices, events and webhooks, and reports no changes for the same file", async () => {
  const { deskbell } = await createBusiness();
  const url = "http://127.0.0.1:9/hook --allow-private";
  await deskbell(
    `webhooks create --name till --url ${url} --event service_price.updated --event service.updated`,
  );
  const dearer = CAFE.replace("price: 40.00", "price: 42.50");
  const change = await deskbell("catalog apply -", dearer);
  expect(change).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^update\tservice\tcut\tprice 40\.00 -> 42\.50\tsvc_[0-9a-z]+\n$/,
    ),
    stderr: expect.stringMatching(
      /^joes: version 1 -> 2, 3 events \(service\.updated, service_price\.updated, catalog\.changed\), 2 webhooks to send\.\n/,
    ),
  });
  expect(await deskbell("catalog apply -", dearer)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "joes: no changes.\n",
  });
  const owed = data<{ eventType: string; status: string }[]>(
    await deskbell("deliveries list --json"),
  );
  expect(owed.map(({ eventType, status }) => `${eventType} ${status}`).sort()).toEqual([
    "service.updated PENDING",
    "service_price.updated PENDING",
  ]);
});

test("an invalid catalog file saves nothing, and the place of each issue is reported", async () => {
  const { deskbell } = await createBusiness();
  const { code, stderr } = await deskbell(
    "catalog apply -",
    CAFE.replace("price: 40.00", "prise: 1").replace("durationMin: 15", "durationMin: 0"),
  );
  expect(code).toBe(7);
  expect(stderr).toMatch(/ {2}stdin:8:5 {2}.*'prise'[^]* {2}stdin:17:\d+ /);
  expect(data(await deskbell("businesses show --json"))).toMatchObject({ catalogVersion: 1 });
});

test("catalog apply reads the YAML files of a folder as one catalog", async () => {
  const folder = createTempFolder();
  writeFileSync(join(folder, "1-business.yaml"), CAFE);
  writeFileSync(
    join(folder, "2-addons.yml"),
    "catalog: 1\naddons: [{ key: mask, name: Mask, price: 12.00, durationMin: 10 }]\n",
  );
  writeFileSync(join(folder, "notes.txt"), "no catalog");
  const { deskbell } = createTerminal();
  expect(await deskbell(`catalog apply ${folder}`)).toMatchObject({ code: 0 });
  expect(data(await deskbell("businesses show --json"))).toMatchObject({
    objects: { service: 3, addon: 1 },
  });
  expect(await deskbell(`catalog apply ${join(folder, "none.yaml")}`)).toMatchObject({ code: 3 });
});

test.each([
  ["services update cut --price 45", { priceCents: 4500 }],
  ["services update cut --name 'New cut' --duration 40", { name: "New cut", durationMin: 40 }],
  ["services update cut --status INACTIVE", { status: "INACTIVE" }],
  [
    "services update cut --variant long --price 60.50",
    { priceCents: 4000, variants: [{ key: "long", priceCents: 6050 }] },
  ],
])("%s changes only the given fields", async (line, expected) => {
  const { deskbell } = await createBusiness();
  const before = data(await deskbell("services show cut --json"));
  const { code } = await deskbell(line);
  expect(code).toBe(0);
  const after = data(await deskbell("services show cut --json"));
  expect(after).toMatchObject(expected);
  const touched = Object.keys(expected);
  const rest = (service: Record<string, unknown>) =>
    Object.entries(service).filter(([name]) => !touched.includes(name));
  expect(rest(after)).toEqual(rest(before));
});

test("services update --price lists the variants that keep their prices", async () => {
  const { deskbell } = await createBusiness();
  expect((await deskbell("services update cut --price 45")).stderr).toContain(
    "The variants keep their prices: long 55.00. Add --variant KEY to change one.\n",
  );
  expect((await deskbell("services update cut --variant long --price 60")).stderr).not.toContain(
    "keep their prices",
  );
  expect((await deskbell("services update cut --name Schnitt")).stderr).not.toContain(
    "keep their prices",
  );
});

test("the price and duration of a service are those of its default variant", async () => {
  const { deskbell } = await createBusiness();
  const colour = async (line: string) => {
    expect(await deskbell(`services update colour ${line}`)).toMatchObject({ code: 0 });
    return data(await deskbell("services show colour --json"));
  };
  expect(await colour("--variant roots --price 95")).toMatchObject({
    priceCents: 9500,
    variants: [{ priceCents: 9500 }, { priceCents: 12_000 }],
  });
  expect(await colour("--variant full --price 130 --duration 100")).toMatchObject({
    priceCents: 9500,
    durationMin: 60,
    variants: [{ priceCents: 9500 }, { priceCents: 13_000, durationMin: 100 }],
  });
  expect(await colour("--all --price 99 --name Tint")).toMatchObject({
    name: "Tint",
    priceCents: 9900,
    variants: [{ name: "Roots", priceCents: 9900 }, { priceCents: 9900 }],
  });
});

test("menu update --all sets the price of every size", async () => {
  const { deskbell } = await createBusiness();
  await deskbell("menu update soup --all --price 7.50");
  expect(data(await deskbell("menu show soup --json"))).toMatchObject({
    priceCents: 750,
    sizes: [{ priceCents: 750 }, { priceCents: 750 }],
  });
});

test("menu update changes the price of one size, and menu sold-out marks a dish", async () => {
  const { deskbell } = await createBusiness();
  await deskbell("menu update soup --size cup --price 6.20");
  expect(data(await deskbell("menu show soup --json"))).toMatchObject({
    priceCents: 620,
    sizes: [
      { key: "cup", priceCents: 620 },
      { key: "bowl", priceCents: 950 },
    ],
  });
  expect((await deskbell("menu list")).stdout).toMatch(
    /^soup\tSoup\t6\.20\tsoups\tACTIVE\tmit_\w+\t\n/,
  );
  await deskbell("menu sold-out soup");
  expect((await deskbell("menu list")).stdout).toMatch(/^soup\t.*\tyes\n/);
});

test.each([
  ["services update cut", 2, /There is nothing to update/],
  ["services update cut --price 9.999", 2, /--price is ambiguous: .* Write 9999.00, or/],
  ["services update cut --price 9.9999", 2, /--price has 4 decimals/],
  ["services update cut --price -1", 2, /--price must not be negative/],
  ["services update cut --name ' '", 2, /--name must have 1 to 200 characters/],
  ["services update cut --variant short --price 1", 3, /no variant 'short'/],
  [
    "services update consultation --price 10",
    5,
    /'consultation' has no price to change: its priceType is FREE/,
  ],
  ["menu update soup --size cup --status INACTIVE", 2, /a size has no status/],
  ["services update colour --price 95", 2, /which variant .*: roots, full\.\nfix: .*--all/],
  ["menu update soup --price 9.80", 2, /which size .*: cup, bowl\.\nfix: add --size KEY/],
  ["menu update soup --size cup --all --price 9", 2, /--all cannot be combined with --size/],
])("%s fails with exit code %i and changes nothing", async (line, exitCode, message) => {
  const { deskbell } = await createBusiness();
  const { code, stderr } = await deskbell(line);
  expect(code).toBe(exitCode);
  expect(stderr).toMatch(message);
  expect(data(await deskbell("businesses show --json"))).toMatchObject({ catalogVersion: 1 });
});

test("keys create prints only the key on stdout, and later commands do not print it", async () => {
  const { deskbell } = await createBusiness();
  const created = await deskbell(
    "keys create --name site --scope services.read --scope webhooks.write --expires 90d",
  );
  expect(created).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^deskbell_rk_[0-9A-Za-z]{38}\n$/),
    stderr: expect.stringMatching(
      /^It receives the events of all bookings, .*, without customer references\.\nIf it needs .* keys update key_\w+ --event-group catalog\n$/,
    ),
  });
  const [key] = data<{ id: string; createdAt: string; expiresAt: string }[]>(
    await deskbell("keys list --json"),
  );
  expect(key).toMatchObject({
    kind: "RESTRICTED",
    scopes: ["services.read", "webhooks.write"],
    limits: { minute: 60, hour: 1000 },
  });
  expect(Date.parse(key!.expiresAt) - Date.parse(key!.createdAt)).toBeCloseTo(90 * 86_400_000, -4);
  expect((await deskbell(`keys show ${key!.id}`)).stdout).not.toContain(created.stdout.trim());

  const whole = data(await deskbell("keys create --name server --secret --json"));
  expect(whole).toMatchObject({ kind: "SECRET", secret: expect.stringMatching(/^deskbell_sk_/) });
});

test("keys create --out writes the key to a new private file and never overwrites a file", async () => {
  const { deskbell } = await createBusiness();
  const out = join(createTempFolder(), "site.key");
  const line = `keys create --name site --secret --out ${out}`;
  expect(data(await deskbell(`${line} --json`))).not.toHaveProperty("secret");
  expect(readFileSync(out, "utf8")).toMatch(/^deskbell_sk_[0-9A-Za-z]{38}\n$/);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(await deskbell(line)).toMatchObject({ code: 5, stdout: "" });
  expect(data(await deskbell("keys list --json"))).toHaveLength(1);
});

test("keys create --out leaves no file if it fails", async () => {
  const { deskbell } = await createBusiness();
  const out = join(createTempFolder(), "site.key");
  expect(
    await deskbell(`keys create --name site --scope services.write --out ${out}`),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean 'services.read'?"),
  });
  expect(statSync(out, { throwIfNoEntry: false })).toBeUndefined();
});

test.each(["keys create --name site", "keys create --name site --secret --scope services.read"])(
  "%s fails, because a key needs either --scope or --secret",
  async (line) => {
    const { deskbell } = await createBusiness();
    expect(await deskbell(line)).toMatchObject({ code: 2, stdout: "" });
    expect(data(await deskbell("keys list --json"))).toEqual([]);
  },
);

test("keys rotate keeps the ID and prints the new secret; keys revoke sets revokedAt", async () => {
  const { deskbell } = await createBusiness();
  const first = await deskbell("keys create --name site --secret");
  const [key] = data<{ id: string; last4: string }[]>(await deskbell("keys list --json"));
  const second = await deskbell(`keys rotate ${key!.id} --overlap 1h`);
  expect(second.stdout).toMatch(/^deskbell_sk_/);
  expect(second.stdout).not.toBe(first.stdout);
  expect(data(await deskbell(`keys show ${key!.id} --json`))).toMatchObject({
    id: key!.id,
    last4: second.stdout.trim().slice(-4),
  });

  expect(await deskbell(`keys revoke ${key!.id}`)).toMatchObject({
    code: 2,
    stderr: "error: Revoking the key 'site' needs a confirmation.\nfix: add --yes (exit 2)\n",
  });
  expect(data(await deskbell(`keys show ${key!.id} --json`))).toMatchObject({ revokedAt: null });
  expect(await deskbell(`keys revoke ${key!.id} --yes`)).toMatchObject({ code: 0, stdout: "" });
  expect(data(await deskbell(`keys show ${key!.id} --json`))).toMatchObject({
    revokedAt: expect.stringMatching(/Z$/),
  });
});

test("commands find a key by a name that is unique within its business", async () => {
  const { deskbell } = await createBusiness();
  await deskbell("keys create --name site --secret");
  expect(data(await deskbell("keys show site --json"))).toMatchObject({ name: "site" });
  await deskbell("keys create --name site --secret");
  const refused = await deskbell("keys rotate site");
  expect(refused).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^error: The name 'site' is ambiguous: key_\w+, key_\w+\.\nfix: use the ID instead/,
    ),
  });
  await deskbell(`catalog apply ${SALON}`);
  await deskbell("keys create --business salon-aurora --name site --secret");
  expect(data(await deskbell("keys show site --business salon-aurora --json"))).toMatchObject({
    name: "site",
  });
});

test("a name that two keys share finds the key that is not revoked", async () => {
  const { deskbell } = await createBusiness();
  await deskbell("keys create --name site --secret");
  await deskbell("keys revoke site --yes");
  await deskbell("keys create --name site --secret");
  expect(data(await deskbell("keys show site --json"))).toMatchObject({ revokedAt: null });
  await deskbell("keys revoke site --yes");
  expect(await deskbell("keys show site")).toMatchObject({ code: 2 });
});

test.each([
  ["site\n", 0],
  ["sit\n", 2],
])("keys revoke on a terminal checks the typed name %j", async (typed, exitCode) => {
  const { deskbell, dataDir } = await createBusiness();
  await deskbell("keys create --name site --secret");
  const [key] = data<{ id: string }[]>(await deskbell("keys list --json"));
  const { code, stderr } = await createTerminal({ isTTY: true, dataDir }).deskbell(
    `keys revoke ${key!.id}`,
    typed,
  );
  expect({ code, stderr }).toMatchObject({
    code: exitCode,
    stderr: expect.stringContaining("Type site to confirm: "),
  });
});

test("webhooks create prints only the secret on stdout, and no other command prints it", async () => {
  const { deskbell } = await createBusiness();
  const url = "http://127.0.0.1:9/hook";
  const refused = await deskbell(`webhooks create --name till --url ${url} --event all`);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  const added = await deskbell(
    `webhooks create --name till --url ${url} --event all --allow-private`,
  );
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^whsec_\S+\n$/),
    stderr: expect.stringContaining("webhooks update whe_"),
  });
  const [endpoint] = data<{ id: string; events: string[] }[]>(
    await deskbell("webhooks list --json"),
  );
  expect(endpoint!.events).toHaveLength(38);
  const shown = await deskbell(`webhooks show ${endpoint!.id} --json`);
  expect(data(shown)).toMatchObject({ name: "till", url, status: "ACTIVE" });
  expect(shown.stdout).not.toContain(added.stdout.trim());
  expect(await deskbell(`webhooks create --name till --url ${url} --allow-private`)).toMatchObject({
    code: 2,
  });
  expect(
    await deskbell(
      `webhooks create --name till --url ${url} --allow-private --event service.updatd`,
    ),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean 'service.updated'?"),
  });
});

test("deliveries list --limit says how to list older deliveries", async () => {
  const { deskbell } = await createBusiness();
  await deskbell(
    "webhooks create --name till --url http://127.0.0.1:9/ --event all --allow-private",
  );
  await deskbell("services update cut --price 41");
  const first = await deskbell("deliveries list --limit 2");
  expect(first.stdout.split("\n")).toHaveLength(3);
  const [, before] =
    /^There are older entries: add --before (dlv_\w+), or a larger --limit\.\n$/.exec(
      first.stderr,
    ) ?? [];
  const rest = data<{ id: string }[]>(await deskbell(`deliveries list --before ${before} --json`));
  expect(rest).toHaveLength(1);
  expect(data(await deskbell(`deliveries show ${rest[0]!.id} --json`))).toMatchObject({
    attemptCount: 0,
    attempts: [],
  });
  expect(data(await deskbell("deliveries list --status DELIVERED --json"))).toEqual([]);
});

test.each([
  "keys show key_none",
  "webhooks show whe_none",
  "deliveries show dlv_none",
  "menu show none",
  "keys revoke key_none --yes",
])("%s fails with exit code 3, because the object does not exist", async (line) => {
  const { deskbell } = await createBusiness();
  expect(await deskbell(line)).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringContaining("There is no "),
  });
});

test.runIf(process.getuid?.() === 0)(
  "catalog apply refuses to run as root on the data folder of another user",
  async () => {
    const dataDir = join(createTempFolder(), "data");
    mkdirSync(dataDir);
    chownSync(dataDir, 65_534, 65_534);
    expect(await createTerminal({ dataDir }).deskbell(`catalog apply ${SALON}`)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("user 65534"),
    });
  },
);
