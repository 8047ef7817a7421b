// `quoin init`: from nothing to a configuration that doctor passes, with and without asking; what exists is never overwritten.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { PROJECT, quoinDone } from "../support/quoin.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();

const approve = (pubkey: string) =>
  operate(scene, "POST", "/accounts/12/agents", { pubkey, name: "quoin", expiresAt: 4_102_444_800 });
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
  expect(readFileSync(config, "utf8")).toMatch(/^ {8}# suggested size [\d.]+ contracts: /m);
  expect(await quoinDone(["check", "--config", config])).toMatchObject({ code: 0 });
  await approve(publicKey);
  expect(await quoinDone(["doctor", "--config", config, "--live-test"])).toMatchObject({ code: 0 });
});

/** `lines`: what is typed. */
async function initiateAsking(name: string, lines: readonly string[], ...more: readonly string[]) {
  const file = join(scene.folder, name);
  const args = ["init", "--out", file, "--key", `${file}.key`, ...more];
  const child = spawn(process.execPath, [join(PROJECT, "src/start.js"), ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const heard = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      heard[stream] += text;
    });
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const [code] = await once(child, "close");
  const written = [file, `${file}.key`].filter((path) => existsSync(path)).length;
  return { code, written, ...heard, text: () => readFileSync(file, "utf8") };
}

it("asks and explains where it may, an empty line takes what is offered, and says what to approve", async () => {
  const lines = [scene.validatorUrl, "", "12", "", "fixed-spread", "10", "", "100"];
  const { code, stdout, stderr, text } = await initiateAsking("asked.yaml", lines);
  expect(code).toBe(0);
  expect(stderr).toMatch(/chain id \[venue-v4:devnet:chain-2\]: /);
  expect(stdout).toMatch(/The owner of account 12 approves this agent key/);
  expect(stdout).toContain(`  npx quoin doctor --live-test --config ${join(scene.folder, "asked.yaml")}\n`);
  expect(stdout).toMatch(/\{"ApproveAgent":\{"account_id":12,/);
  expect(text()).toMatch(/strategy: fixed-spread[\s\S]*size: 0\.5[\s\S]*maxOrderSize: 1 /);
});

it("asks again where an answer is none, options included, and keeps the others", async () => {
  const { validatorUrl } = scene;
  const lines = [
    "ftp://nowhere",
    "http://me:hunter2@host",
    validatorUrl,
    "",
    "",
    "twelve",
    "12",
    "",
    "gltf",
    "glft",
    "10",
    "",
    "0",
    "100",
  ];
  const { code, stderr, text } = await initiateAsking("again.yaml", lines, "--market", "none");
  expect(code).toBe(0);
  expect(stderr).toContain('"ftp://nowhere" is not an http or https URL');
  expect(stderr).not.toContain("hunter2");
  expect(stderr).toContain("an answer is needed");
  expect(stderr).toContain('"none" is not a whole number from 0 to 65535');
  expect(stderr).toContain('"gltf" is not one of glft, fixed-spread');
  expect(text()).toMatch(/accountId: 12 [\s\S]*marketId: 1\n[\s\S]*maxLoss: 100 /);
});

it("asks all of it again where answers make no configuration, with each as what is offered", async () => {
  const tooLong = "x:devnet:".padEnd(201, "x");
  const lines = [scene.validatorUrl, tooLong, "12", "", "", "10", "11", "2", "100", ...Array(8).fill("")];
  const { code, stderr, text } = await initiateAsking("contradiction.yaml", lines);
  expect(code).toBe(0);
  expect(stderr).toContain('"11" is not at most maxPosition, 10');
  expect(stderr).toMatch(/venue\.chainId: .* is not allowed/);
  expect(stderr).toContain("Once more, each with your answer as what is offered");
  expect(stderr).toContain("maxLoss, USDC [100]: ");
  expect(text()).toMatch(/maxPosition: 10 [\s\S]*maxOrderSize: 2 [\s\S]*maxLoss: 100 /);
});

it.each([
  ["after a wrong answer", ["twelve"], []],
  ["before real money was agreed to", ["12", "", "", "", "", "", "yes"], ["--chain-id", "venue-v4:mainnet:chain-1"]],
] as const)("input that ends %s writes nothing", async (name, lines, more) => {
  const at = [
    "--validator-url",
    scene.validatorUrl,
    ...(more.length > 0 ? [] : ["--chain-id", "venue-v4:devnet:chain-2"]),
  ];
  expect(await initiateAsking(`${name}.yaml`, lines, ...at, ...more)).toMatchObject({
    code: 2,
    written: 0,
    stderr: expect.stringContaining("nothing was written"),
  });
});

it("says before the first question where nothing can be written", async () => {
  const { code, stdout, stderr, written } = await initiateAsking("no/such/folder.yaml", [""]);
  expect({ code, stdout, written }).toEqual({ code: 2, stdout: "", written: 0 });
  expect(stderr).toMatch(
    /^quoin: .*folder\.yaml cannot be written: there is no folder .*; make it with mkdir -m 0700 .*; nothing was written\n$/,
  );
});

it("leaves no key behind where the configuration cannot be written after all", async () => {
  const file = join(scene.folder, "dangling.yaml");
  symlinkSync(join(scene.folder, "nowhere"), file);
  const { code, stderr } = await initiate(
    "dangling.yaml",
    "--yes",
    "--validator-url",
    scene.validatorUrl,
    "--account",
    "12",
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/exists.*; nothing was written\n$/)]);
  expect(existsSync(`${file}.key`)).toBe(false);
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
