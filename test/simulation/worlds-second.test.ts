// The laws of the simulation over some more worlds: a file of its own, so that another core can take it.

import { holdsInWorlds } from "./seeds.ts";

holdsInWorlds("no law is broken in worlds 90 to 101", 90, 12);
