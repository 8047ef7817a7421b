// Reads a Dockerfile and runs its steps without a container engine: every stage is a folder that represents its root, COPY copies what
// .dockerignore lets through, RUN runs in the stage's working directory. Covers only the language of this project's file.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";

export type Instruction = {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
};

/** The instructions in order, continuation lines joined, comments removed. */
export function parseDockerfile(source: string): readonly Instruction[] {
  const lines = source
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n");
  return lines.flatMap((line) => {
    const match = /^(?<name>[A-Z]+)(?<flags>(?:\s+--[\w-]+=\S+)*)\s+(?<text>.+)$/.exec(line.trim());
    if (match === null) {
      if (line.trim() === "") return [];
      throw new Error(`not an instruction: ${line}`);
    }
    const { name = "", flags = "", text = "" } = match.groups ?? {};
    const pairs = Array.from(flags.matchAll(/--([\w-]+)=(\S+)/g), ([, flag, value]) => [flag, value]);
    return [{ name, flags: Object.fromEntries(pairs), text }];
  });
}

/** The words of an instruction in exec form. Throws SyntaxError on the shell form, which would start a shell around the program. */
export function execForm(text: string): readonly string[] {
  return JSON.parse(text);
}

/** Tells whether a path of the build context is left out. The last pattern that matches it, or a folder above it, decides. */
export function ignoredBy(patterns: string): (path: string) => boolean {
  const rules = patterns
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ keeps: line.startsWith("!"), pattern: globPattern(line.replace(/^!/, "")) }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.keeps === false;
}

/** `*` is anything within a name, dots in front too (which Node's own globs skip); `**` and a slash any folders. */
function globPattern(glob: string): RegExp {
  const escaped = glob.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&");
  const within = escaped.replaceAll(/\*\*\/|\*/g, (stars) => (stars === "*" ? "[^/]*" : "(?:.*/)?"));
  return new RegExp(`^${within}(?:/|$)`);
}

export type Build = {
  readonly context: string;
  readonly scratch: string;
  readonly ignored: (path: string) => boolean;
  readonly env: Readonly<Record<string, string>>;
};

/** A registry that cannot be reached is asked again and again, and nothing else runs meanwhile. */
const STEP_MS_MAX = 240_000;

/** Runs every stage and returns the folder of the last one's root. Throws with the output of a failing step. */
export function walk(instructions: readonly Instruction[], { context, scratch, ignored, env }: Build): string {
  const stages = new Map<string, string>();
  let root = "";
  let workdir = "/";
  const within = (stage: string, path: string) => join(stage, path.startsWith("/") ? path : join(workdir, path));

  for (const { name, flags, text } of instructions) {
    if (name === "FROM") {
      root = join(scratch, `stage-${stages.size}`);
      stages.set(/\bAS (\S+)$/.exec(text)?.[1] ?? "last", root);
      workdir = "/";
    } else if (name === "WORKDIR") {
      workdir = text;
      mkdirSync(within(root, "."), { recursive: true });
    } else if (name === "COPY") {
      const paths = text.split(/\s+/);
      const from = flags.from === undefined ? undefined : stages.get(flags.from);
      if (flags.from !== undefined && from === undefined) throw new Error(`COPY from an unknown stage: ${flags.from}`);
      const named = paths.slice(0, -1);
      // A name in the build context may be a pattern.
      for (const path of from === undefined ? named.flatMap((pattern) => matching(pattern, context)) : named) {
        const source = from === undefined ? join(context, path) : within(from, path);
        copy(
          source,
          within(root, paths.at(-1) ?? "."),
          (file) => from !== undefined || !ignored(relative(context, file)),
        );
      }
    } else if (name === "RUN") {
      // Outside a container an absolute path would be one of this machine.
      if (/(?:^|[\s=])\//.test(text)) throw new Error(`RUN with an absolute path cannot be walked: ${text}`);
      const at = { cwd: within(root, "."), env, timeout: STEP_MS_MAX };
      const step = spawnSync("sh", ["-c", text], { ...at, encoding: "utf8" });
      if (step.status !== 0)
        throw new Error(`RUN ${text}: exit ${step.status ?? step.error?.message}\n${step.stdout}${step.stderr}`);
    }
  }
  return root;
}

const matching = (pattern: string, context: string): readonly string[] =>
  pattern.includes("*") ? globSync(pattern, { cwd: context }) : [pattern];

/** COPY's rule: a folder's content goes into the target, a file into the target if that is a folder. */
function copy(source: string, target: string, allowed: (file: string) => boolean): void {
  if (!existsSync(source) || !allowed(source)) throw new Error(`COPY of what is not in the build context: ${source}`);
  const isFolder = statSync(source).isDirectory();
  const into =
    !isFolder && existsSync(target) && statSync(target).isDirectory() ? join(target, basename(source)) : target;
  cpSync(source, into, { recursive: true, verbatimSymlinks: true, filter: allowed });
}
