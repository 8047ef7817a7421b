// Mutants that no rule makes, most of other parts: the faults of faults.txt, each of which has cost others money.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Mutant } from "./mutant.ts";

/** `right`: the stretch as it stands in the source; `wrong`: what stands there instead. `tests`: files that may notice, the likeliest first. */
type Fault = {
  readonly what: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  readonly tests: readonly string[];
};

/** Throws where a source does not say exactly once what a fault is written against. */
export const namedMutants = (root: string): readonly Mutant[] =>
  faults().map(({ what, file, right, wrong, tests }) => {
    const text = readFileSync(resolve(root, file), "utf8");
    const start = text.indexOf(right);
    if (start < 0 || text.indexOf(right, start + 1) >= 0)
      throw new Error(`the mutant "${what}" is written against what ${file} does not say exactly once: ${right}`);
    const [, , area = ""] = file.split("/");
    return { subject: area, what, file, start, end: start + right.length, text: wrong, tests };
  });

function faults(): readonly Fault[] {
  const [, ...groups] = readFileSync(resolve(import.meta.dirname, "faults.txt"), "utf8").split("\n\n");
  return groups.flatMap((group) => {
    const [, file = "", names = "", body = ""] = /^(\S+): (.*)\n([\s\S]*)$/.exec(group) ?? [];
    const tests = names.split(" ").map((name) => `test/${name}.test.ts`);
    const texts = body.matchAll(/^(?![-+] )(.*)\n((?:- .*\n?)+)((?:\+ .*\n?)*)/gm);
    return Array.from(texts, ([, what = "", right = "", wrong = ""]) => ({
      ...{ what, file, tests },
      ...{ right: unmarked(right), wrong: unmarked(wrong) },
    }));
  });
}

const unmarked = (lines: string): string => lines.replace(/\n$/, "").replaceAll(/^[-+] /gm, "");
