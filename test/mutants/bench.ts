// Where mutants are tried: a scratch copy of the project, so that the checkout is never wrong, and a process that tests it, with a
// limit of time, since a mutant may never end.

import { type ChildProcess, fork } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAst } from "vitest/node";
import { type Mutant, mutated } from "./mutant.ts";
import { project } from "./source.ts";
import type { Answer, Question } from "./tester.ts";

/** What tests read of the project. */
const COPIED = [
  "src",
  "strategies",
  "test",
  "config",
  "docs",
  "bench",
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
];

/** Longest time of one mutant: a file of simulated worlds, on a machine that is busy with other things. */
const MUTANT_MS_MAX = 600_000;
const START_MS_MAX = 120_000;

export class Bench {
  readonly root: string;
  #tester: ChildProcess | null = null;
  /** The file that is right again, while the tester may still hold it wrong. */
  #restored: string | null = null;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "quoin-mutants-")));
    for (const name of COPIED) cpSync(join(project, name), join(this.root, name), { recursive: true });
    symlinkSync(join(project, "node_modules"), join(this.root, "node_modules"));
  }

  /** The first test that fails with the mutant in place; null when it survives. Throws when the mutant is no program. */
  async tryOut(mutant: Mutant, tests: readonly string[]): Promise<string | null> {
    const path = join(this.root, mutant.file);
    const right = readFileSync(path, "utf8");
    const wrong = mutated(right, mutant);
    parseAst(wrong, { lang: "ts" });
    writeFileSync(path, wrong);
    try {
      return await this.run(tests, path);
    } finally {
      writeFileSync(path, right);
      this.#restored = path;
    }
  }

  /** The first of the tests that fails; null when all pass. `wrong`: the file that has a mutant in it. */
  async run(tests: readonly string[], wrong: string | null = null): Promise<string | null> {
    const tester = this.#tester ?? (await this.#start());
    const changed = [wrong, this.#restored].filter((path) => path !== null);
    const answered = nextMessage(tester, MUTANT_MS_MAX);
    tester.send({ changed, tests } satisfies Question);
    const answer = await answered;
    if (answer !== null) return answer.killedBy;
    this.#end();
    return "runs out of time";
  }

  close(): void {
    this.#end();
    rmSync(this.root, { recursive: true });
  }

  async #start(): Promise<ChildProcess> {
    const tester = fork(join(import.meta.dirname, "tester.ts"), [this.root], { detached: true, cwd: this.root });
    this.#tester = tester.once("exit", () => {
      this.#tester = null;
    });
    if ((await nextMessage(tester, START_MS_MAX)) === null) throw new Error("the tests did not start");
    return tester;
  }

  /** With the processes that it started, which may be the ones that hang. */
  #end(): void {
    const pid = this.#tester?.removeAllListeners("exit").pid;
    this.#tester = null;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }
}

/** Null: none came in time. Rejects when the process ends first. */
function nextMessage(child: ChildProcess, withinMs: number): Promise<Answer | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => resolve(null)), withinMs);
    const onMessage = (answer: Answer): void => done(() => resolve(answer));
    const onExit = (code: number | null): void => done(() => reject(new Error(`the tester ended with ${code}`)));
    const done = (finish: () => void): void => {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit);
      finish();
    };
    child.on("message", onMessage).on("exit", onExit);
  });
}
