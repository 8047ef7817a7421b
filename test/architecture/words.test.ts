// Words that made readers stop, and what stands for them: in code, comments, logs, help, texts of the page and documents.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project } from "../mutants/source.ts";

const avoided: Readonly<Record<string, string>> = {
  anew: "again, starts over",
  "any more": "no longer",
  "by itself": "automatically, alone",
  "in doubt": "unconfirmed, unresolved",
  doubted: "unconfirmed",
  suspected: "unconfirmed",
  undecided: "unconfirmed",
  vanished: "ended, reason unknown",
  senseless: "implausible",
  standstill: "stuck quotes, stall",
  twin: "duplicate daemon",
  "earlier life": "earlier run",
  "this life": "this run",
  "next life": "next run",
  lifeTiming: "processTiming",
  wish: "target quote",
};

/** Seeds of random numbers: another name is another world. */
const NAMED_SEEDS = /(?:name: |fork\()"(?:senseless|standstill|twin(?:'s bot)?)"/g;

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(join(project, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(?:ts|js|md|ya?ml|css|html|service)$/.test(entry.name)) yield path;
  }
}

const files = [
  ...["src", "strategies", "config", "docs", "release", "bench"].flatMap((folder) => [...filesBelow(folder)]),
  ...["README.md", "CONTRIBUTING.md"],
];

test.each(Object.entries(avoided))("%s: write %s", (word) => {
  const pattern = new RegExp(`\\b${word}\\b`, "i");
  const found = files.flatMap((path) =>
    readFileSync(join(project, path), "utf8")
      .replaceAll(NAMED_SEEDS, "")
      .split("\n")
      .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}`] : [])),
  );
  expect(found).toEqual([]);
});
