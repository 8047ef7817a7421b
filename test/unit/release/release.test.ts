// What a release must hold to: licenses, a changelog, and workflows that run commands of ours on the runtime that is pinned.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import lock from "../../../package-lock.json" with { type: "json" };
import { changelogFault } from "../../../release/changelog.ts";
import { licenseFaults } from "../../../release/licenses.ts";
import { configurations } from "../../../release/package.ts";
import { PROJECT } from "../../support/quoin.ts";

const component = (...expressions: readonly string[]) => ({
  name: "a",
  version: "1.0.0",
  licenses: expressions.map((expression) => ({ expression })),
});

describe("a license", () => {
  it.each([["MIT"], ["(MIT OR GPL-3.0-only)"], ["MIT AND Apache-2.0"]])("%s is allowed", (expression) => {
    expect(licenseFaults({ components: [component(expression)] })).toEqual([]);
  });

  it.each([["GPL-3.0-only"], ["MIT AND GPL-3.0-only"], ["UNLICENSED"]])("%s is not", (expression) => {
    expect(licenseFaults({ components: [component(expression)] })).toEqual([`a 1.0.0: ${expression}`]);
  });

  it("that is not said is not allowed", () => {
    expect(licenseFaults({ components: [{ name: "a", version: "1.0.0" }] })).toEqual(["a 1.0.0: no license said"]);
  });

  it("of every package that production needs is allowed", () => {
    const packages = Object.entries(
      lock.packages as Readonly<Record<string, { dev?: true; version?: string; license?: string }>>,
    );
    const components = packages
      .filter(([path, { dev }]) => path !== "" && dev !== true)
      .map(([path, { version = "", license = "" }]) => ({ name: path, version, licenses: [{ expression: license }] }));
    expect(components.length).toBeGreaterThan(20);
    expect(licenseFaults({ components })).toEqual([]);
  });
});

// Skipped in an unpacked archive: without git nothing says which files belong to the project.
it.skipIf(!existsSync(join(PROJECT, ".git")))("the package has every configuration that git has, and no other", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: join(PROJECT, "config"), encoding: "utf8" });
  expect(configurations).toEqual(tracked.trimEnd().split("\n"));
});

describe("the changelog", () => {
  it("has a section of the version in package.json", () => {
    expect(changelogFault(readFileSync(join(PROJECT, "CHANGELOG.md"), "utf8"), manifest.version)).toBeNull();
  });

  it.each([
    ["# Changes\n\n## 0.0.9\n\n- a\n", 'CHANGELOG.md has no section "## 0.1.0"'],
    ["## 0.1.0\n\nnothing\n\n## 0.0.9\n\n- a\n", "the section 0.1.0 of CHANGELOG.md lists nothing"],
  ])("%j is refused", (text, fault) => expect(changelogFault(text, "0.1.0")).toBe(fault));
});

type Step = { readonly uses?: string; readonly run?: string; readonly with?: Readonly<Record<string, unknown>> };
type Workflow = {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
};

const workflows = readdirSync(join(PROJECT, ".github/workflows"));

describe.each(workflows)(".github/workflows/%s", (file) => {
  const { permissions, jobs } = parse(readFileSync(join(PROJECT, ".github/workflows", file), "utf8")) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it("may read the repository, and writes nothing but packages of a release", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("pins the actions of others by commit", () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it("runs scripts and commands that exist", () => {
    const scripts = steps.flatMap(({ run = "" }) =>
      [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? ""),
    );
    for (const script of scripts) expect(Object.keys(manifest.scripts)).toContain(script);
  });
});
