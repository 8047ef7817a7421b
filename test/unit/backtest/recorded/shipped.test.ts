// The recorded session that ships: its table in docs/daily-use.md is what `quoin reconcile` prints. Where another format of recordings made it
// unreadable: npx node bench/reconcile.ts --hours 0.5 --seeds 1 --tick 0.1 --out FOLDER

import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { reconcile } from "../../../../src/cli/reconcile.ts";
import { processHost } from "../../../../src/host/process.ts";

const SESSION = "docs/sample-session.qrec";

test("the table in docs/daily-use.md is that of the session", async () => {
  let [stdout, stderr] = ["", ""];
  const exit = await reconcile(
    SESSION,
    { json: false },
    {
      ...processHost,
      stdout: (text) => {
        stdout += `${text}`;
      },
      stderr: (text) => {
        stderr += text;
      },
    },
  );
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(readFileSync("docs/daily-use.md", "utf8")).toContain(`\`\`\`\n${stdout}\`\`\``);
  expect(statSync(SESSION).size).toBeLessThan(2_100_000);
});
