// What the operator's pages say to type beside a daemon works as it stands: each command with FILE, and each POST with its body.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { PROJECT, quoinDone } from "../support/quoin.ts";
import { openOrdersOf, startDaemon } from "./daemon.ts";
import { configBeside, post, resting } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const PAGES = ["docs/runbook.md", "docs/operating.md", "docs/ledger.md", "docs/reports.md", "docs/troubleshooting.md"];
const pages = PAGES.map((page) => readFileSync(join(PROJECT, page), "utf8")).join("\n");

/** The order in which a day may see them: those that only look, then those that stop more and more. */
const ORDER = [
  ...["check", "status", "trades", "pnl", "ledger export", "ledger verify", "token", "reduce", "resume"],
  ...["cancel --config", "halt", "flatten", "cancel-all"],
];
/** Each command that stands in a sentence or a table, once, without what is optional. */
const commands = [
  ...new Set(
    Array.from(pages.matchAll(/`(?:npx )?quoin ([^`]*--config FILE[^`>]*)/g), ([, line = ""]) =>
      line.replace(/ \[.*\]/, "").trim(),
    ),
  ),
]
  .filter((line) => !/^(run|watchdog|fleet|probe)/.test(line))
  .map((line) => ({ line, rank: ORDER.findIndex((command) => line.startsWith(command)) }))
  .toSorted((left, right) => left.rank - right.rank);

const scene = sceneForAll();
let url = "";

beforeAll(async () => {
  url = (await startDaemon(scene)).url;
  await resting(scene, 4);
});

/** Of an order that rests. */
async function orderId(): Promise<string> {
  await resting(scene, 4);
  return `${(await openOrdersOf(scene.validatorUrl))[0]?.orderId}`;
}

async function wordsOf(line: string, file: string): Promise<readonly string[]> {
  const values = { FILE: file, TEXT: "because", T: "audit", A: "12", ID: line.includes(" ID") ? await orderId() : "" };
  return line.split(" ").map((word) => values[word as keyof typeof values] ?? word);
}

test("each POST of the table takes the body that stands there", async () => {
  const [, table = ""] = /\| POST \| Body \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(pages) ?? [];
  const rows = table.split("\n").flatMap((row) => {
    const [, paths = "", body = ""] = /^\| (.*?) \| `(.*?)`[;:]? .*\|$/.exec(row) ?? [];
    return Array.from(paths.matchAll(/`(\/\w+)`/g), ([, path = ""]) => ({ path, body }));
  });
  const paths = ["/reduce", "/halt", "/cancel", "/flatten", "/resume", "/params", "/promote"];
  expect(rows.map(({ path }) => path)).toEqual(paths);
  for (const { path, body } of rows) {
    const answer = await post(url, path, body);
    const text = await answer.text();
    // The body is understood, and there is no such order, and nothing to promote.
    if (path === "/cancel") expect(text).toContain("account 12 has no open order 345");
    else if (path === "/promote") expect(text).toContain("has no shadow to promote");
    else expect(answer.status, `${path} ${body}: ${text}`).toBe(200);
  }
});

test("each command ends with 0", async () => {
  expect(commands.length).toBeGreaterThan(12);
  const file = configBeside(scene, url);
  for (const { line, rank } of commands) {
    expect(rank, line).toBeGreaterThanOrEqual(0);
    const { code, stdout, stderr } = await quoinDone(await wordsOf(line, file));
    expect(code, `${line}\n${stdout}${stderr}`).toBe(0);
  }
  await resting(scene, 0);
});
