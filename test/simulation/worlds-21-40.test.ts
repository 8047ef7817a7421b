// The laws of the simulation over worlds of every test run; `npm run test:long` goes through hundreds.

import { holdsInWorlds } from "./seeds.ts";

holdsInWorlds("no law is broken in worlds 21 to 40", 21n, 20);
