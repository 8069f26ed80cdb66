import { existsSync } from "node:fs";
import { afterAll, onTestFinished, type TestContext } from "vitest";
import { lazy } from "../../src/domain/lazy.ts";
import { CHROMIUM, launch, openPage, type Page, type PageOptions } from "./chromium.ts";

export type { Page, PageOptions, ScriptedDocument } from "./chromium.ts";

/**
 * Returns a function that opens a URL in headless Chromium through the DevTools protocol, and skips
 * the test without Chromium. The pages of a test file share a browser, but no cookies, storage or
 * cache.
 * @param flags more flags of Chromium, such as those of a camera
 */
export function useBrowser(flags: readonly string[] = []) {
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const launched = lazy(async () => launch(flags, (close) => closing.push(close)));
  return async (
    test: Pick<TestContext, "skip">,
    url: string,
    options: PageOptions = {},
  ): Promise<Page> => {
    if (!existsSync(CHROMIUM)) test.skip(`needs ${CHROMIUM}: apt-get install chromium`);
    return openPage(await launched(), url, options, onTestFinished);
  };
}
