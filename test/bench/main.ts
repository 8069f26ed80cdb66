import { cpus } from "node:os";
import { BENCHES } from "./benches.ts";
import type { Figure } from "./figure.ts";
import { benchGrowth } from "./growth/growth.ts";

// Usage: `npm run bench [-- s1 s5]`, or `npm run bench -- growth [--only NAME] [--max SIZE] [--out
// FILE]`. Where there is a peer, it runs in turns with deskbell, and the ratio is a median.

// The growth benchmark prints its own table, and takes flags.
if (process.argv[2] === "growth") {
  await benchGrowth(process.argv.slice(3));
  process.exit();
}

const asked = process.argv.slice(2).map((id) => id.toLowerCase());
const known = BENCHES.flatMap(({ ids }) => ids);
const unknown = asked.filter((id) => !known.includes(id));
if (unknown.length > 0) {
  console.error(
    `error: Unknown benchmark '${unknown.join("', '")}'.\nfix: choose from ${known.join(", ")}, growth, or pass none to run all`,
  );
  process.exit(2);
}
const wanted = (id: string) => asked.length === 0 || asked.includes(id);

const figures: Figure[] = [];
for (const { ids, run } of BENCHES) if (ids.some(wanted)) figures.push(...(await run(wanted)));

const [cpu] = cpus();
console.log(`\n${cpus().length} x ${cpu?.model.trim()}, Node ${process.versions.node}\n`);
console.log("| # | figure | ours | peer | ratio | goal |\n|---|---|---|---|---|---|");
for (const { id, description, ours, peer, ratio, goal } of figures)
  console.log(
    `| ${id} | ${description} | ${ours} | ${peer ?? "-"} | ${ratio?.toFixed(2) ?? "-"} | ${goal} |`,
  );
