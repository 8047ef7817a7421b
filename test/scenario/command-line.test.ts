// The command line itself: what it says of a slip, its examples, completion that a shell understands, one picture without a terminal.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isInstalled } from "../support/installed.ts";
import { PROJECT, quoinDone } from "../support/quoin.ts";

it.each([
  [["docter"], /unknown command 'docter'\n\(Did you mean doctor\?\)/],
  [["status", "--config", "x", "--jsn"], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [["run", "--confg", "x"], /unknown option '--confg'\n\(Did you mean --config\?\)/],
  [["reduce", "--reson", "x"], /'--reason <TEXT>' not specified\n\(Did you mean --reason\?\)/],
] as const)("%j is answered with what may have been meant", async (args, said) => {
  const { code, stderr } = await quoinDone(args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
});

it.each([
  [["--queue"], /^quoin: no configuration: /],
  [["--config", "x.yaml"], /^quoin: --queue and --config FILE go together/],
  [["--queue", "--config", "x.yaml", "--trace"], /'--queue' cannot be used with option '--trace'/],
] as const)("simulate %j: one line, and no world is run", async (args, said) => {
  const { code, stdout, stderr } = await quoinDone(["simulate", ...args]);
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(said)]);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

it("--help of a command has examples, and that of the program the first steps", async () => {
  expect((await quoinDone(["halt", "--help"])).stdout).toMatch(/Examples:\n {2}\$ npx quoin halt --reason /);
  const { stdout: resume } = await quoinDone(["resume", "--help"]);
  expect(resume).toMatch(
    /--reason <TEXT> {2}required; why; kept in the ledger\n {2}--account <ID> {3}only this account/,
  );
  expect((await quoinDone(["--help"])).stdout).toMatch(
    /First steps:\n {2}\$ npx quoin run --config config\/demo.yaml /,
  );
});

it("completion names every command; bash completes commands and options with it", async () => {
  const script = (await quoinDone(["completion", "bash"])).stdout;
  const completed = (...words: readonly string[]): readonly string[] => {
    const asked = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _quoin; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", `${script}\n${asked}`], { encoding: "utf8" })
      .trim()
      .split(" ");
  };
  expect(completed("quoin", "do")).toEqual(["doctor"]);
  expect(completed("quoin", "doctor", "--l")).toEqual(["--live-test"]);
  expect(completed("quoin", "ledger", "")).toEqual(expect.arrayContaining(["verify", "export"]));
  expect(completed("quoin", "strategy", "n")).toEqual(["new"]);
  expect(completed("quoin", "fleet", "run", "--c")).toEqual(["--config"]);
  expect(completed("quoin", "devnet", "--port", "0", "--rest"), "an option is no command").toEqual(["--rest-port"]);
});

it("the list of commands has groups, and completion names them where the shell can show them", async () => {
  const { stdout } = await quoinDone(["--help"]);
  const groups = [...stdout.matchAll(/^(\w.*):\n {2}[a-z]/gm)].map(([, group]) => group);
  expect(groups).toEqual(["Trading", "The operator's day", "Research", "Data", "Fleet", "Help"]);
  const [zsh, fish] = await Promise.all(
    ["zsh", "fish"].map(async (shell) => (await quoinDone(["completion", shell])).stdout),
  );
  for (const group of ["Trading", "The operator'\\''s day", "Research", "Data", "Fleet"]) {
    expect(zsh).toContain(`'${group}' commands`);
    expect(fish).toContain(`-d '${group}: `);
  }
  expect(fish).toMatch(/seen_subcommand_from fleet; and __fish_seen_subcommand_from run' -l config /);
});

// Skipped where the shell is not installed: unlike bash, neither is on every machine.
for (const shell of ["zsh", "fish"])
  it.skipIf(!isInstalled([shell, "--version"]))(`${shell} takes its script`, async () => {
    const script = (await quoinDone(["completion", shell])).stdout;
    expect(spawnSync(shell, ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });

it("top without a terminal is one picture; exit 1 where no daemon answers", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quoin-top-"));
  const config = join(folder, "quoin.yaml");
  // Port 1 is nobody's; the port of the example may be a daemon's that runs here.
  const yaml = readFileSync(join(PROJECT, "config/production.example.yaml"), "utf8").replace(/port: \d+/, "port: 1");
  writeFileSync(config, yaml);
  const { code, stdout } = await quoinDone(["top", "--config", config]);
  rmSync(folder, { recursive: true });
  expect([code, stdout]).toEqual([1, "no daemon answers at http://127.0.0.1:1\n"]);
});
