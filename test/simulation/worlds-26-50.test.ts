// The laws of the simulation over worlds of every test run; `npm run test:long` goes through hundreds.

import { holdsInWorlds } from "./seeds.ts";

holdsInWorlds("no law is broken in worlds 26 to 50", 26n, 25);
