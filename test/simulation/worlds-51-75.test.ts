// The laws of the simulation over worlds of every test run; `npm run test:long` goes through hundreds.

import { holdsInWorlds } from "./seeds.ts";

holdsInWorlds("no law is broken in worlds 51 to 75", 51n, 25);
