import { expect, test } from "vitest";
import { pairDevice } from "../../../../src/features/desk/desks.ts";
import { createTerminal } from "../../../support/cli.ts";
import { SALON } from "../../../support/samples.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const LINK =
  /^http:\/\/127\.0\.0\.1:4100\/b\/salon-aurora\/desk\/pair\/(deskbell_dl_[0-9a-f]{48})\n$/;

type Desk = {
  id: string;
  allow: string[];
  linkEndsAt: string | null;
  devices: { id: string; kind: string }[];
};

async function openSalon(options: Parameters<typeof createTerminal>[0] = {}) {
  const terminal = createTerminal(options);
  const { deskbell, dataDir } = terminal;
  expect(await deskbell(`catalog apply ${SALON}`)).toMatchObject({ code: 0 });
  const list = async () =>
    (JSON.parse((await deskbell("desk list --json")).stdout) as { data: Desk[] }).data;
  /** Pairs a device with the link that a command printed. */
  const pair = (stdout: string): void => {
    const rt = createTestRuntime({ dataDir }, Date.now());
    const [, token = ""] = LINK.exec(stdout) ?? [];
    pairDevice(rt, "salon-aurora", token, {
      userAgent: "Mozilla/5.0 (iPhone; CPU)",
      address: null,
    });
    rt.close();
  };
  return { ...terminal, list, pair };
}

test("a new desk prints its link once, and the list of desks shows the paired devices", async () => {
  const { deskbell, list, pair } = await openSalon();
  const created = await deskbell("desk create --name 'Front desk'");
  expect(created.stdout).toMatch(LINK);
  expect(created.stderr).toContain("it works once");
  expect(await list()).toMatchObject([
    {
      name: "Front desk",
      staffId: null,
      allow: ["visits", "sold-out", "close", "check-in"],
      linkEndsAt: expect.stringMatching(/Z$/),
      devices: [],
    },
  ]);
  pair(created.stdout);
  expect(await list()).toMatchObject([{ linkEndsAt: null, devices: [{ kind: "iPhone" }] }]);
  const audited = (await deskbell("audit list")).stdout;
  for (const action of ["desk.created", "desk.link_created", "desk.paired"])
    expect(audited).toContain(action);
});

test("a terminal shows the link of a new desk as a QR code, too", async () => {
  const { deskbell } = await openSalon({ isTTY: true });
  expect((await deskbell("desk create --name Door")).stdout).toMatch(/[▀▄█]{10}/);
});

test("a new desk of one person lacks the right to close, and --allow replaces the rights", async () => {
  const { deskbell, list } = await openSalon();
  await deskbell("desk create --name Maya --staff maya");
  await deskbell("desk create --name Door --allow check-in");
  expect((await list()).map(({ allow }) => allow)).toEqual([
    ["visits", "sold-out", "check-in"],
    ["check-in"],
  ]);
});

test.each([
  ["desk create --name Door --allow visit", 2, "Invalid --allow: there is no right 'visit'."],
  ["desk create --name 'Front desk'", 5, "There is already a desk 'Front desk'."],
  ["desk create --name ''", 2, "The name must be one line of 1 to 60 characters."],
  ["desk create --name Door --public-url http://shop.example.com", 5, "A desk needs https"],
  ["desk link Nobody", 3, "There is no desk 'Nobody'."],
  ["desk revoke 'Front desk' --device ddv_none", 3, "has no device 'ddv_none'"],
])("the command %s is refused", async (line, code, message) => {
  const { deskbell } = await openSalon();
  await deskbell("desk create --name 'Front desk'");
  const ran = await deskbell(line);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({
    code,
    stderr: expect.stringContaining(message),
  });
});

test("desk revoke revokes one device or a whole desk, and a new desk can have the name of a revoked desk", async () => {
  const { deskbell, list, pair } = await openSalon();
  pair((await deskbell("desk create --name Door")).stdout);
  pair((await deskbell("desk link Door")).stdout);
  const [desk] = await list();
  expect(desk?.devices).toHaveLength(2);
  await deskbell(`desk revoke Door --device ${desk?.devices[0]?.id}`);
  expect((await list())[0]?.devices).toEqual([desk?.devices[1]]);
  expect((await deskbell("desk revoke Door")).stderr).toBe("Revoked Door and 1 device.\n");
  expect(await list()).toEqual([]);
  expect(await deskbell("desk create --name Door")).toMatchObject({ code: 0 });
});

test("the status shows the number of desks and devices if there are any", async () => {
  const { deskbell } = await openSalon();
  expect((await deskbell("status")).stdout).not.toContain("desks");
  await deskbell("desk create --name Door");
  expect((await deskbell("status")).stdout).toMatch(/desks\s+1 desk, 0 paired devices/);
});
