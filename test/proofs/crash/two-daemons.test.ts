import { expect, test } from "vitest";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { chooseScale } from "../../support/scale.ts";

test(
  "of two daemons that start at the same moment, after a crash, one serves and the other exits with 5",
  async () => {
    const { dataDir } = await createSeededSalon();
    for (let run = 0; run < chooseScale(2, 100); run++) {
      const daemons = [spawnDaemon(dataDir), spawnDaemon(dataDir)];
      const exits = daemons.map((daemon) => daemon.waitForExit());
      const loser = await Promise.race(exits);
      expect(loser).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/^error: Another deskbell daemon is running on /),
      });
      const winners = daemons.filter((_, i) => daemons[i]?.child.exitCode === null);
      expect(winners).toHaveLength(1);
      for (const winner of winners) {
        await waitForUrl(winner);
        winner.child.kill("SIGKILL");
      }
      await Promise.all(exits);
    }
  },
  chooseScale(60_000, 600_000),
);
