import { expect, onTestFinished, test, vi } from "vitest";
import { createTerminal } from "../../../support/cli.ts";
import { SALON } from "../../../support/samples.ts";

async function openSalon(business: string) {
  const { deskbell } = createTerminal();
  expect(await deskbell(`catalog apply ${SALON}`)).toMatchObject({ code: 0 });
  vi.stubEnv("DESKBELL_BUSINESS", business);
  onTestFinished(() => void vi.unstubAllEnvs());
  return deskbell;
}

test("partners create --all overrides the business of the environment, but not --business", async () => {
  const deskbell = await openSalon("salon-aurora");
  expect(await deskbell("partners create directory --all")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Created directory, which reaches 1 business."),
  });
  expect(await deskbell("partners create other --all --business salon-aurora")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs either --all or at least one --business."),
  });
  expect(await deskbell("partners create portal")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Created portal, which reaches 1 business."),
  });
});

test("partners create takes an empty business of the environment for none", async () => {
  const deskbell = await openSalon("");
  expect(await deskbell("partners create directory --all")).toMatchObject({ code: 0 });
  expect(await deskbell("partners create portal")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs either --all or at least one --business."),
  });
});
