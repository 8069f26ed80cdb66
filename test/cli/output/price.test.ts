import { expect, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

test("the lists of services and dishes name the price type of those without an exact price", async () => {
  const { deskbell } = createTerminal();
  await deskbell("seed all");
  const pricesIn = async (command: string) =>
    (await deskbell(command)).stdout
      .split("\n")
      .map((line) => line.split("\t"))
      .map(([key, , price]) => `${key} ${price}`);
  expect(await pricesIn("services list --business salon-aurora")).toEqual(
    expect.arrayContaining([
      "cut 85.00",
      "balayage from 260.00",
      "color-correction on request",
      "color-consultation free",
    ]),
  );
  expect(await pricesIn("menu list --business cafe-lumen")).toEqual(
    expect.arrayContaining(["lake-catch market", "ice-cream from 4.80"]),
  );
});
