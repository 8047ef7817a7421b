// docs/client.md at its word: the example that it shows a part of, run by Node as a reader would, against the devnet over real sockets.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import { createClient } from "../../src/client/public.ts";
import { loadDevnetConfig } from "../../src/devnet/config/load.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";
import { start, stopAll } from "./devnet-set-up.ts";

afterEach(stopAll);

const project = join(import.meta.dirname, "../..");
const example = join(project, "docs/client-example.ts");

it("what the page shows stands in the example", () => {
  const [, shown = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(project, "docs/client.md"), "utf8")) ?? [];
  const pieces = shown.trim().split("\n\n");
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(readFileSync(example, "utf8")).toContain(piece);
});

it("the example signs up, deposits, approves an agent, trades and withdraws", async () => {
  const { validatorUrl, restUrl, controlUrl } = await start(
    loadDevnetConfig(join(project, "config/devnet.yaml"), systemFiles),
  );
  const { stdout } = await promisify(execFile)(process.execPath, [example, validatorUrl, restUrl, controlUrl]);
  expect(stdout).toMatch(/^account \d+: 999 USDC\nbought at \d+(?:\.\d+)? USD\nwithdrawal 1: 100 USDC Pending\n$/);
});

it("the page names everything that a client can do", () => {
  const client = createClient({ chainId: "none", validatorUrl: "http://127.0.0.1:9" });
  const page = readFileSync(join(project, "docs/client.md"), "utf8");
  for (const [group, reads] of Object.entries(client)) {
    if (typeof reads === "function") expect(page).toContain(`${group}(`);
    else for (const read of Object.keys(reads)) expect(page, group).toContain(`\`${read}\``);
  }
});
