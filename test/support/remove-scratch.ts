// Setup before each test file: removes its scratch folders at its end.

import { afterAll } from "vitest";
import { removeScratchFolders } from "./scratch.ts";

afterAll(removeScratchFolders);
