// The pages of docs/decisions: each says what was decided in the same four parts, stands in the index, and names files that exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const folder = join(project, "docs/decisions");
const INDEX = "README.md";
const PARTS = ["Context", "Decision", "Consequences", "What would change it"];
/** A printed page. */
const LINES_MAX = 60;

const pages = readdirSync(folder)
  .filter((file) => file !== INDEX)
  .sort()
  .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));

it.each(pages)("$file has the four parts on one page", ({ file, text }) => {
  expect(file).toMatch(/^\d{3}-[a-z0-9-]+\.md$/);
  expect(text).toMatch(new RegExp(`^# ${Number(file.slice(0, 3))}\\. `));
  expect(Array.from(text.matchAll(/^## (.+)$/gm), ([, part]) => part)).toEqual(PARTS);
  for (const part of text.split(/^## .+$/m).slice(1)) expect(part.trim()).not.toBe("");
  expect(text.split("\n").length).toBeLessThanOrEqual(LINES_MAX);
});

it.each(pages)("$file names sources that exist", ({ text }) => {
  const named = Array.from(text.matchAll(/`([\w/-]+\.[jt]s)`/g), ([, path = ""]) => path);
  const roots = ["", "src", "src/bot"];
  expect(named.filter((path) => !roots.some((root) => existsSync(join(project, root, path))))).toEqual([]);
});

it("the index has a line for each page, by its title and in order", () => {
  const lines = readFileSync(join(folder, INDEX), "utf8").match(/^\d+\. .*$/gm);
  const wanted = pages.map(({ file, text }) => text.replace(/^# (\d+)\. (.+)\n[\s\S]*$/, `$1. [$2](${file})`));
  expect(lines).toEqual(wanted);
});
