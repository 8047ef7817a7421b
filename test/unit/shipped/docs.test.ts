// What the documents point at is there: files and headings; and the canary's configuration is one.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../src/configuration.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { faultKinds } from "../../../src/sim/faults/fault.ts";
import { laws } from "../../../src/sim/invariants/law.ts";
import { PROJECT } from "../../support/quoin.ts";

const text = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const inDocs = readdirSync(join(PROJECT, "docs")).filter((file) => file.endsWith(".md"));
const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/README.md", "strategies/README.md"],
  ...inDocs.map((file) => `docs/${file}`),
  ...["docs/decisions", "docs/reference"].flatMap((folder) =>
    readdirSync(join(PROJECT, folder)).map((file) => `${folder}/${file}`),
  ),
];

/** As GitHub names a heading. */
const anchorsOf = (markdown: string): ReadonlySet<string> =>
  new Set(
    Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

describe.each(documents)("%s", (document) => {
  it("links to what exists", () => {
    for (const [, target = ""] of text(document).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)) {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? join(PROJECT, document) : resolve(PROJECT, dirname(document), path);
      expect(existsSync(file), `${document}: ${target}`).toBe(true);
      if (anchor !== undefined) expect([...anchorsOf(readFileSync(file, "utf8"))], target).toContain(anchor);
    }
  });
});

it("README is read in one go", () => {
  expect(text("README.md").split("\n").length).toBeLessThanOrEqual(150);
});

it("README leads to every document", () => {
  for (const file of inDocs) expect(text("README.md"), file).toContain(`docs/${file}`);
});

describe("docs/going-live.md", () => {
  const guide = text("docs/going-live.md");

  it("shows a canary that loads, with limits that bound each other", async () => {
    const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
    const folder = mkdtempSync(join(tmpdir(), "quoin-canary-"));
    const file = join(folder, "quoin.yaml");
    writeFileSync(file, yaml);
    const { bot } = await loadConfiguration(file, systemFiles).finally(() => rmSync(folder, { recursive: true }));
    const [account] = bot.accounts;
    const [market] = account?.markets ?? [];
    expect(account?.markets).toHaveLength(1);
    expect(market?.limits.maxOrderSize).toBeLessThanOrEqual(Number(market?.limits.maxPosition));
    expect(market?.limits.maxLoss).toBeLessThanOrEqual(Number(account?.limits.maxLoss));
  });
});

describe("docs/simulation.md", () => {
  const guide = text("docs/simulation.md");

  it("lists each kind of fault", () => {
    const listed = Array.from(guide.matchAll(/^- (?:F\d+ )?`(\w+)`:/gm), ([, kind]) => kind);
    expect(new Set(listed)).toEqual(new Set(faultKinds));
  });

  it("lists each law", () => {
    const listed = Array.from(guide.matchAll(/^\| \*\*([SLX]\d*)\*\* \|/gm), ([, law]) => law);
    expect(new Set(listed)).toEqual(new Set(Object.keys(laws)));
  });
});
