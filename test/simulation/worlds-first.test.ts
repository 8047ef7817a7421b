// The laws of the simulation over some worlds of every test run; `npm run test:long` goes through hundreds.

import { holdsInWorlds } from "./seeds.ts";

holdsInWorlds("no law is broken in worlds 2 to 13", 2, 12);
