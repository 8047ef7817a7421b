// Each command that a document says to type has a name and options that exist; each file that it runs is there.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benches } from "../../../bench/benches.ts";
import manifest from "../../../package.json" with { type: "json" };
import { PROJECT, quoinDone } from "../../support/quoin.ts";

const text = (file: string): string => readFileSync(join(PROJECT, file), "utf8");
const documents = [
  ...["README.md", "CONTRIBUTING.md", "strategies/README.md"],
  ...readdirSync(join(PROJECT, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];

/** Lines of code blocks and pieces of code in sentences, without comments; a line that ends with a backslash goes on. */
function typedIn(document: string): readonly string[] {
  const blocks = Array.from(document.matchAll(/^```(?:sh)?\n([\s\S]*?)^```/gm), ([, block = ""]) =>
    block.replaceAll(/ *\\\n */g, " ").split("\n"),
  );
  const sentences = document.replaceAll(/^```[\s\S]*?^```/gm, "");
  const pieces = Array.from(sentences.matchAll(/`([^`]+)`/g), ([, piece = ""]) => piece.replaceAll(/\s+/g, " "));
  return [...blocks.flat(), ...pieces].map((line) => line.replace(/(?:^| +)# .*$/, "").trim());
}

const quoinCommand = /^(?:\$ )?(?:npx )?quoin ([a-z].*)$/;
/** Of a command, or of a command within one, by its help. */
const helps = new Map<string, Promise<string>>();
function helpOf(command: string): Promise<string> {
  const known = helps.get(command) ?? quoinDone([...command.split(" "), "--help"]).then(({ stdout }) => stdout);
  helps.set(command, known);
  return known;
}

const WITHIN = ["ledger", "fleet", "strategy", "devnet"];
/** What of a line is the command: `ledger verify`, `run`. */
function commandOf(line: string): string {
  const [first = "", second = ""] = line.split(" ");
  return WITHIN.includes(first) && /^[a-z]+$/.test(second) ? `${first} ${second}` : first;
}

describe.each(documents)("%s", (document) => {
  const typed = typedIn(text(document));

  it("names commands and options that exist", async () => {
    const { stdout: all } = await quoinDone(["--help"]);
    for (const line of typed.flatMap((each) => quoinCommand.exec(each)?.[1] ?? [])) {
      const command = commandOf(line);
      expect(all, line).toMatch(new RegExp(`^ {2}${command.split(" ")[0]}\\b`, "m"));
      const options = line.split(/ [|&>] |; /)[0]?.match(/(?<=\s)--[a-z-]+/g) ?? [];
      for (const option of options)
        expect(await helpOf(command), `${option} of: ${line}`).toMatch(new RegExp(`${option}\\b`));
    }
  });

  it("runs benches, tests and scripts that are there", () => {
    for (const line of typed) {
      const [, bench] = /^npx node (bench\/\S+\.ts)/.exec(line) ?? [];
      // A bench has no help: its own text names its options.
      const options =
        bench === undefined ? [] : Array.from(line.matchAll(/ --([a-z-]+)/g), ([, option = ""]) => option);
      for (const option of options) expect(text(bench ?? ""), line).toContain(option);
      const [, test] = /^npx vitest run (test\/\S+)/.exec(line) ?? [];
      for (const path of [bench, test])
        if (path !== undefined) expect(existsSync(join(PROJECT, path)), line).toBe(true);
      const [, script] = /^npm run (?:-s )?([\w:-]+)/.exec(line) ?? [];
      if (script !== undefined) expect(Object.keys(manifest.scripts), line).toContain(script);
      const [, only] = /^npm run bench -- --only (\S+)/.exec(line) ?? [];
      for (const name of only?.split(",") ?? [])
        expect(
          benches.map((bench) => bench.name),
          line,
        ).toContain(name);
    }
  });
});
