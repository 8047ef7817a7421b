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

/** Shapes of sentences that made readers stop, and what stands for them: in comments alone. */
const stilted: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^Of /, "say what the thing is: `Size of the resting order`"],
  [/^Beside /, "besides what? begin with the subject"],
  [/^By (?:which|whom|what) /, "name the subject: `Horizon at which …`"],
  [/^To (?:be called|whom|which) /, "Call it …"],
  [/^Told (?:of|when|why|how|what)\b/, "Called with …"],
  [/^What (?:comes|came|becomes|became) of /, "result, fate"],
  [/\bthat which\b/, "what"],
  [/\b(?:wherefore|whereof|whereupon|thereof|therein|therewith|thereupon|hitherto|whence|lest)\b/i, "today's word"],
  [/\b(?:is|are|was|were|be|been) told\b/, "is reported, is called with"],
  [/\btold apart\b|\btell(?:s|ing)? (?:\S+ ){0,3}apart\b/, "distinguished"],
  [/\bnone of (?:ours|theirs|his)\b|\bis no business of\b/, "does not concern us"],
  [/\bto be called (?:with|before|after|once|each|when|every|ten|about)\b/i, "Call it …"],
  [/\bunless (?:it )?sa(?:id|ys)\b/, "unless given, default"],
  [/\bnobody (?:knows|can tell|could tell)\b/i, "unknown"],
  [/\bstand(?:s|ing)? (?:before|behind) (?:it|them|us|our|the order)\b/, "is ahead of, is behind"],
  [/\bwhat became of\b/, "fate, result"],
  [/\bmay yet\b/, "may still"],
  [/\b(?:is|are) heard of\b/, "is reported, is known"],
  [/\b(?:is|are) said\b/, "is reported"],
  [/\bbegins? again\b/, "starts over, restarts"],
  [/(?<!as )\bof (?:now|then)\b/, "current, former"],
];

/** The comments of a file, each in one line, with the number of its first. A string that looks like a comment counts as one. */
function* commentsIn(text: string): Generator<{ readonly line: number; readonly says: string }> {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, opens, first] = /^(?:.*[;,{)] )?\s*(\/\/|\/\*\*?|#)(?: (.*))?$/.exec(lines[at] ?? "") ?? [];
    if (opens === undefined) continue;
    const line = at + 1;
    const says = [first ?? ""];
    const goesOn = opens.startsWith("/*") ? /^\s*\*(?!\/) ?(.*)$/ : /^\s*(?:\/\/|#) (.*)$/;
    for (let next = goesOn.exec(lines[at + 1] ?? ""); next !== null; next = goesOn.exec(lines[at + 1] ?? "")) {
      says.push(next[1] ?? "");
      at += 1;
    }
    yield { line, says: says.join(" ").replace(/\s*\*\/.*$/, "") };
  }
}

const comments = ["src", "bench", "strategies", "config", "test/support"]
  .flatMap((folder) => [...filesBelow(folder)])
  .filter((path) => /\.(?:ts|js|ya?ml)$/.test(path))
  .flatMap((path) =>
    [...commentsIn(readFileSync(join(project, path), "utf8"))].map((comment) => ({ path, ...comment })),
  );

test("comments of one and of several lines are found", () => {
  const source = [
    "// One",
    "// two.",
    "",
    "  /** Three. */",
    "/**",
    " * Four",
    " * five.",
    " */",
    "call(); // Six.",
  ].join("\n");
  expect([...commentsIn(source)].map(({ line, says }) => `${line}: ${says.trim()}`)).toEqual([
    "1: One two.",
    "4: Three.",
    "5: Four five.",
    "9: Six.",
  ]);
});

test.each(stilted)("no comment says %s: %s", (pattern) => {
  expect(
    comments.flatMap(({ path, line, says }) => (pattern.test(says.trim()) ? [`${path}:${line}: ${says}`] : [])),
  ).toEqual([]);
});
