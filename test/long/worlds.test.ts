// The laws of the simulation over the seeds that broke one, and over hundreds of worlds: WORLDS of them, from FIRST_WORLD on.

import { holdsInSeeds, regressions } from "../simulation/regressions.ts";
import { holdsInWorlds } from "../simulation/seeds.ts";

const first = BigInt(process.env.FIRST_WORLD ?? 2);
const count = Number(process.env.WORLDS ?? 500);

holdsInWorlds(`no law is broken in ${count} worlds from ${first} on`, first, count);
holdsInSeeds(regressions);
