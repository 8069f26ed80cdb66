import { appendFileSync } from "node:fs";
import { expect } from "vitest";

/** The groups of proofs, each in a folder of test/proofs. */
export const GROUPS = ["crash", "power", "faults", "attack", "simulate"] as const;
export type Group = (typeof GROUPS)[number];

/** A claim that has been proven, as `npm run proofs` writes it to test/proofs/RESULTS.md. */
export type Claim = {
  group: Group;
  /** The claim, as a sentence without a full stop. It identifies the claim. */
  claim: string;
  /** What the proof did, and how often, in whole sentences. */
  done: string;
  /** What the proof found, in sentences with numbers. */
  figure: string;
  /** A run of this proof with a deliberate bug in the program, in whole sentences. It must fail. */
  control: { done: string; figure: string; hasFailed: boolean };
  seed: number | "none";
};

/** A claim and the path of the test that has proven it. */
export type RecordedClaim = Claim & { file: string };

/** Returns whether claims are recorded. If not, proofs leave out controls that take seconds. */
export const isRecording = (): boolean => process.env["PROOFS_CLAIMS"] !== undefined;

/**
 * Records a claim after its proof has passed. Does nothing outside `npm run proofs`.
 * @throws if the control did not fail: then the proof shows nothing
 */
export function recordClaim(claim: Claim): void {
  const { control } = claim;
  if (!control.hasFailed)
    throw new Error(`This proof is void, because its control passes: ${control.done}`);
  const file = process.env["PROOFS_CLAIMS"];
  if (file === undefined) return;
  const recorded: RecordedClaim = { ...claim, file: expect.getState().testPath ?? "" };
  appendFileSync(file, `${JSON.stringify(recorded)}\n`);
}
