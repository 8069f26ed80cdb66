import { execFile } from "node:child_process";

// npm run check: runs scripts of package.json at the same time, and prints the output of each when
// it ends. The exit code is that of the first script in the list that fails.

const color = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};

const run = (script: string) =>
  new Promise<number>((resolve) => {
    const args = ["--run", script];
    const options = { env: { ...process.env, ...color }, maxBuffer: Infinity };
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) => {
      const code = child.exitCode ?? 1;
      const outcome = code === 0 ? "ok" : `failed with exit code ${code}`;
      console.log(`${script}: ${outcome}\n${stdout}${stderr}`.trimEnd());
      resolve(code);
    });
  });

const codes = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = codes.find((code) => code !== 0) ?? 0;
