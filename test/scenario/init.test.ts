// `quoin init`: from nothing to a configuration that doctor passes, with and without asking; what exists is never overwritten.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endAll, PROJECT, quoinDone } from "../support/quoin.ts";
import { removeScene, type Scene, startScene } from "./daemon.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ oracle: "{ source: fixed, price: 216.94, validForSecs: 86400 }" });
});
afterAll(async () => {
  await endAll();
  removeScene(scene);
});

const approve = (pubkey: string) =>
  fetch(`${scene.controlUrl}/accounts/12/agents`, {
    method: "POST",
    body: JSON.stringify({ pubkey, name: "quoin", expiresAt: 4_102_444_800 }),
  });
const initiate = (name: string, ...more: readonly string[]) =>
  quoinDone(["init", "--out", join(scene.folder, name), "--key", join(scene.folder, `${name}.key`), ...more]);

it("--yes asks nothing; what it wrote passes check and, once the key is approved, doctor with a live test", async () => {
  const at = ["--validator-url", scene.validatorUrl, "--account", "12", "--server-port", "0"];
  const { code, stdout } = await initiate("yes.yaml", "--yes", "--json", ...at);
  expect(code).toBe(0);
  const { publicKey, approve: text } = JSON.parse(stdout) as { readonly publicKey: string; readonly approve: string };
  const transaction = JSON.parse(text) as {
    readonly ApproveAgent: { readonly account_id: number; readonly agent: number[] };
  };
  expect(transaction.ApproveAgent.account_id).toBe(12);
  expect(Buffer.from(transaction.ApproveAgent.agent).toString("hex")).toBe(publicKey);
  expect(statSync(join(scene.folder, "yes.yaml.key")).mode & 0o777).toBe(0o600);
  const config = join(scene.folder, "yes.yaml");
  expect(readFileSync(config, "utf8")).toContain('chainId: "venue-v4:devnet:chain-2"');
  expect(await quoinDone(["check", "--config", config])).toMatchObject({ code: 0 });
  await approve(publicKey);
  expect(await quoinDone(["doctor", "--config", config, "--live-test"])).toMatchObject({ code: 0 });
});

it("asks and explains where it may, an empty line takes what is offered, and says what to approve", async () => {
  const file = join(scene.folder, "asked.yaml");
  const child = spawn(
    process.execPath,
    [join(PROJECT, "src/start.js"), "init", "--out", file, "--key", join(scene.folder, "asked.key")],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      heard[name] += text;
    });
  child.stdin.end([scene.validatorUrl, "", "12", "", "fixed-spread", "10", "", "100", ""].join("\n"));
  expect((await once(child, "close"))[0]).toBe(0);
  expect(heard.stderr).toMatch(/chain id \[venue-v4:devnet:chain-2\]: /);
  expect(heard.stdout).toMatch(/The owner of account 12 approves this agent key/);
  expect(heard.stdout).toMatch(/\{"ApproveAgent":\{"account_id":12,/);
  expect(readFileSync(file, "utf8")).toMatch(/strategy: fixed-spread[\s\S]*size: 0\.5[\s\S]*maxOrderSize: 1 /);
});

it.each([
  ["over an existing configuration", ["--account", "12"], /taken\.yaml exists already/, "taken.yaml"],
  ["without an account", [], /--account is missing; nothing was written/, "none.yaml"],
  [
    "for real money that nobody confirmed",
    ["--account", "12", "--chain-id", "venue-v4:mainnet:chain-1"],
    /say --live/,
    "live.yaml",
  ],
  [
    "with a number that is none",
    ["--account", "12", "--max-loss", "all"],
    /--max-loss "all" is not a number/,
    "loss.yaml",
  ],
] as const)("refused %s", async (_, more, why, name) => {
  writeFileSync(join(scene.folder, "taken.yaml"), "mine");
  const { code, stderr } = await initiate(name, "--yes", "--validator-url", scene.validatorUrl, ...more);
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
  expect(readFileSync(join(scene.folder, "taken.yaml"), "utf8")).toBe("mine");
});
