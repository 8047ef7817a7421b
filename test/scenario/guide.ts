// A guide's shell blocks, typed line by line in a folder of their own that stands for the checkout, against a devnet of the test's.

import { type ExecFileOptions, execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { inFolder } from "../support/in-folder.ts";
import { PROJECT, quoinDone, quoinProcess, type RunningProcess } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";

const run = promisify(execFile);

/** What the test does beside typing. */
export type Follower = {
  readonly folder: string;
  readonly text: (file: string) => string;
  /** Saves a file as an editor does. */
  readonly edit: (file: string, change: (text: string) => string) => void;
  /** The daemon that the guide started last. */
  readonly daemon: () => RunningProcess;
  /** Ctrl-C: it ends with 0. */
  readonly stop: () => Promise<void>;
  /** What the commands have printed so far. */
  readonly printed: () => string;
};

export type GuideTurns = {
  /** A line as the test types it; undefined: it is the set-up of the tests themselves. */
  readonly typed: (line: string, follower: Follower) => string | undefined;
  /** What the guide asks for in words, before a line whose text begins so. */
  readonly before: Readonly<Record<string, (follower: Follower) => void | Promise<void>>>;
};

/** Types every line of the guide's `sh` blocks. A line fails the test unless it ends with 0; one that serves must begin to. */
export async function follow(guide: string, { typed, before }: GuideTurns): Promise<Follower> {
  const folder = scratchFolder("guide");
  for (const part of ["config", "strategies"]) cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  const path = `${commandsIn(folder)}${delimiter}${process.env.PATH}`;
  const daemons: RunningProcess[] = [];
  let printed = "";
  let exported = {};
  const follower: Follower = {
    folder,
    text: (file) => readFileSync(join(folder, file), "utf8"),
    edit: (file, change) => writeFileSync(join(folder, file), change(follower.text(file))),
    daemon: () => daemons.at(-1)!,
    async stop() {
      expect(await daemons.pop()?.end("SIGINT")).toBe(0);
    },
    printed: () => printed,
  };
  const serve = async (words: readonly string[], event: string): Promise<void> => {
    const daemon = quoinProcess(words, { cwd: folder, env: { ...process.env, ...exported } });
    if (words[0] !== "devnet") daemons.push(daemon);
    await daemon.seen(event, (stdout) => stdout.includes(`"event":"${event}"`));
    printed += daemon.stdout();
  };
  const type = async (line: string): Promise<void> => {
    const [, name, value] = /^export (\w+)=(\S+)$/.exec(line) ?? [];
    if (name !== undefined) {
      exported = { ...exported, [name]: value };
      return;
    }
    const [, serving] = /^npx quoin ((?:run|devnet) .*)/.exec(line) ?? [];
    if (serving !== undefined)
      return serve(serving.split(" "), serving.startsWith("devnet") ? "devnet.ready" : "quoting");
    // What is exported is read as a process begins.
    const words = Object.keys(exported).length === 0 ? wordsOf(line) : undefined;
    const env = { ...process.env, ...exported, PATH: path, VITEST: undefined, NODE_TEST_CONTEXT: undefined };
    const done = words === undefined ? await shell(line, { cwd: folder, env }) : await quoinDone(words);
    if (done.code !== 0) throw new Error(`${guide}: ${line}\n${done.stdout}${done.stderr}`);
    printed += done.stdout;
  };
  await inFolder(folder, async () => {
    for (const written of linesOf(readFileSync(join(PROJECT, guide), "utf8"))) {
      for (const [start, act] of Object.entries(before)) if (written.startsWith(start)) await act(follower);
      const line = typed(written, follower);
      if (line !== undefined) await type(line);
    }
  });
  return follower;
}

const shell = (line: string, options: ExecFileOptions) =>
  run("/bin/sh", ["-c", line], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error as { readonly code: number; readonly stdout: string; readonly stderr: string },
  );

/** The words of a plain `npx quoin` line, which runs in this process; undefined: only a shell understands the line. */
function wordsOf(line: string): readonly string[] | undefined {
  const [, words] = /^npx quoin ((?:[\w./:=-]+|"[^"$`\\]*"| )+)$/.exec(line) ?? [];
  return words?.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', ""));
}

/** Lines of its shell blocks, without comments; one that ends with a backslash goes on in the next. */
export const linesOf = (guide: string): readonly string[] =>
  [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll("\\\n", " ")
      .split("\n")
      .map((line) => line.replace(/ +#.*$/, "").trim())
      .filter((line) => line !== ""),
  );

/** A folder with what a shell finds by its name: npx of the checkout, and curl, which a container may lack. */
function commandsIn(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const node = process.execPath;
  const npx = `#!/bin/sh\nif [ "$1" = quoin ]; then shift; exec "${node}" "${join(PROJECT, "src/start.js")}" "$@"; fi\nshift; exec "${node}" "$@"\n`;
  const post = `const [url, , body] = process.argv.slice(2);
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
      .then(async (answer) => { console.log(await answer.text()); process.exitCode = answer.ok ? 0 : 22; });`;
  writeFileSync(join(bin, "post.mjs"), post);
  writeFileSync(join(bin, "curl"), `#!/bin/sh\nexec "${node}" "${join(bin, "post.mjs")}" "$@"\n`);
  writeFileSync(join(bin, "npx"), npx);
  for (const name of ["curl", "npx"]) chmodSync(join(bin, name), 0o755);
  return bin;
}
