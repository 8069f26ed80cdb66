import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { drive } from "../support/page-driver.ts";
import { apiKey, filesOf, findIn } from "../support/secret-search.ts";
import { SALON } from "../http/support/api.ts";

const openPage = useBrowser();

/** Starts a server that shows the same page at every path. The end of the test closes it. */
async function serveWebsite(host: string, html: string): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(html),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}/`;
}

test("neither the link nor the cookie of a desk is in a log, a file, a referrer or a title", async (test) => {
  const { dataDir, deskbell } = await createSeededSalon();
  const daemon = spawnDaemon(dataDir, "--access-log", "--verbose");
  const url = await waitForUrl(daemon);
  const out = join(dataDir, "..", "desk.url");
  await deskbell("desk", "create", "--name", "Door", "--out", out);
  const link = readFileSync(out, "utf8").trim();
  const token = link.split("/").at(-1)!;
  const page = await openPage(test, link, { width: 360 });
  const reader = drive(page);
  await reader.click("Pair this device");
  await reader.waitForText("Today");
  const cookie = (await page.readCookie("deskbell_desk")) ?? "";
  expect(cookie).toMatch(/^deskbell_dd_[0-9a-f]{48}$/);
  const secrets = [token, cookie].flatMap((text) => [
    apiKey(text, text),
    apiKey(text, text.split("_").at(-1)!),
  ]);
  const { referrer, address, title } = await page.run(async () => {
    const { document, location } = globalThis as unknown as {
      document: { referrer: string; title: string };
      location: { href: string };
    };
    return { referrer: document.referrer, address: location.href, title: document.title };
  });
  // The referrer is only the origin, because the path of the previous page has the link.
  expect([referrer, address]).toEqual([`${url}/`, `${url}/b/${SALON}/desk`]);
  expect(title).toBe("Door · Salon Aurora");
  // The token of a used link is sent again: in the link, and in URLs that do not take it.
  for (const path of [
    `/b/${SALON}/desk/pair/${token}`,
    `/b/${SALON}/desk?token=${token}`,
    `/${token}`,
  ])
    await fetch(url + path, { headers: { referer: link, "user-agent": token } });
  await deskbell("desk", "list", "--json");
  await deskbell("audit", "list", "--json");
  await expect.poll(daemon.output).toContain(`/b/${SALON}/desk/pair/deskbell_dl_…`);
  const places = new Map([...filesOf(dataDir), ["the log", Buffer.from(daemon.output())]]);
  expect([...places.keys()]).toContain("/deskbell.db");
  expect(findIn(places, secrets)).toEqual([]);
}, 120_000);

test.for(["localhost", "127.0.0.1"])(
  "a website on %s can neither frame the desk nor act with its cookie",
  { timeout: 120_000 },
  async (host, test) => {
    const { dataDir, deskbell } = await createSeededSalon();
    const url = await waitForUrl(spawnDaemon(dataDir));
    const desk = `${url}/b/${SALON}/desk`;
    const page = await openPage(test, await deskbell("desk", "create", "--name", "Door"));
    const reader = drive(page);
    await reader.click("Pair this device");
    await reader.waitForText("Today");
    const website = await serveWebsite(
      host,
      `<!doctype html><title>Prize</title><iframe src="${desk}"></iframe>
      <form method="post" action="${desk}">
        <input name="action" value="close"><input name="key" value="k"><button>Win a prize</button>
      </form>`,
    );
    await page.open(website);
    await expect.poll(() => page.errors.join("\n")).toContain("frame-ancestors");
    await reader.click("Win a prize");
    await reader.waitForText("Another website has sent this request, so nothing was done.");
    expect(await deskbell("hours", "list", "--json")).not.toContain("ONLY");
    // The cookie is still good: the website has not been able to use it.
    await page.open(desk);
    expect(await reader.readText()).not.toContain("Take back the closing");
  },
);
