// Many audited sequences; a broken law is reported with the fewest acts that still break it, and a command that repeats them.

import { allActs, auditSequence, type Broken, newTally, type Tally } from "./audit.ts";

export type Audited = {
  readonly tally: Tally;
  /** A text for each sequence that broke a law. */
  readonly faults: readonly string[];
};

/** Runs tried for a shorter sequence. */
const TRIES_MAX = 400;

/** Runs `count` sequences from `first` on. After `faultsMax` broken ones it stops. */
export async function auditSequences(first: number, count: number, faultsMax = 3): Promise<Audited> {
  const tally = newTally();
  const faults: string[] = [];
  for (let seed = first; seed < first + count && faults.length < faultsMax; seed += 1) {
    const broken = await auditSequence(seed, allActs, tally);
    if (broken !== null) faults.push(await explained(seed, broken));
  }
  return { tally, faults };
}

async function explained(seed: number, broken: Broken): Promise<string> {
  const { kept, last } = await shrunk(seed, broken);
  const lines: string[] = [];
  await auditSequence(seed, kept, newTally(), (line) => lines.push(line));
  return [
    `sequence ${seed}, ${kept.length} acts: ${last.detail}`,
    `again: SEQUENCE=${seed} ACTS=${kept.join()} npm run test:long -- exchange-audit`,
    ...lines,
  ].join("\n");
}

/** Leaves out ever smaller runs of acts while the same law breaks. */
async function shrunk(
  seed: number,
  broken: Broken,
): Promise<{ readonly kept: readonly number[]; readonly last: Broken }> {
  let kept = allActs.slice(0, broken.at + 1);
  let last = broken;
  let tries = 0;
  for (let run = Math.ceil(kept.length / 2); run >= 1; run = run === 1 ? 0 : Math.ceil(run / 2)) {
    for (let from = 0; from < kept.length && tries < TRIES_MAX; ) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + run)];
      tries += 1;
      const found = await auditSequence(seed, fewer);
      if (found?.law === broken.law) {
        kept = fewer;
        last = found;
      } else from += run;
    }
  }
  return { kept, last };
}
