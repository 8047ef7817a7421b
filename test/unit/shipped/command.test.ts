// The documented ways into Quoin, from this checkout: npx, the starter itself, and the oldest Node that this machine has.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };

const run = promisify(execFile);
const project = resolve(import.meta.dirname, "../../..");
const starter = join(project, "src/start.js");
/** The PATH as the user's shell has it, without the folders that npm put in front. */
const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
const machineNode = folders.map((folder) => join(folder, "node")).find(existsSync);
const npx = folders.map((folder) => join(folder, "npx")).find(existsSync);
const environment = { ...process.env, PATH: folders.join(delimiter) };

describe("quoin --version", () => {
  test("through the starter", async () => {
    const { stdout } = await run(process.execPath, [starter, "--version"]);
    expect(stdout).toBe(`${manifest.version}\n`);
  });

  // Where the tests run under the pinned Node alone there is no other to try.
  test.skipIf(machineNode === undefined)("through the Node of this machine, whatever its age", async () => {
    const { stdout } = await run(machineNode!, [starter, "--version"], { env: environment });
    expect(stdout).toBe(`${manifest.version}\n`);
  });

  // npx comes with npm, which a container image may lack once it is built.
  test.skipIf(npx === undefined)("through npx from the checkout", async () => {
    const { stdout } = await run(npx!, ["quoin", "--version"], { cwd: project, env: environment });
    expect(stdout).toBe(`${manifest.version}\n`);
  });
});

test("an unknown command is wrong usage: exit 2, the reason on stderr", async () => {
  const failed = await run(process.execPath, [starter, "no-such-command"]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 2, stdout: "" });
  expect(failed).toHaveProperty("stderr", expect.stringContaining("no-such-command"));
});
