// Worlds of a fleet, one after the other.

import { FleetWorld, type Mutation } from "./fleet-world.ts";

export type Campaign = {
  readonly seeds: number;
  readonly minutes: number;
  /** A failover may lose what was acknowledged shortly before. */
  readonly isAsynchronous?: boolean;
};

export async function campaign({ seeds, ...run }: Campaign) {
  const violations: string[] = [];
  const digests: string[] = [];
  let [failovers, fills] = [0, 0];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const end = await new FleetWorld({ seed: BigInt(seed), ...run }).live();
    if (end.violation !== null) violations.push(`seed ${seed}: ${end.violation}`);
    digests.push(end.digest);
    failovers += end.failovers;
    fills += end.fills;
  }
  return { violations, digests, failovers, fills };
}

/** Far more worlds than a mutant needs. */
const WORLDS_MAX = 60;

/** The law that a fleet with this bug breaks first, from a seed on; null: none. */
export async function firstFound(mutation: Mutation, fromSeed = 1): Promise<string | null> {
  for (let seed = fromSeed; seed < fromSeed + WORLDS_MAX; seed += 1) {
    const { violation } = await new FleetWorld({ seed: BigInt(seed), minutes: 3, mutation }).live();
    if (violation !== null) return violation;
  }
  return null;
}
