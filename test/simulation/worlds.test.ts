// The laws of the simulation over worlds of every test run; `npm run test:long` goes through hundreds.

import { holdsInWorlds } from "./seeds.ts";

holdsInWorlds("no law is broken in worlds 1 to 4", 1n, 4);
