// Set up before each test file: what it makes in scratch folders goes when it has ended.

import { afterAll } from "vitest";
import { removeScratchFolders } from "./scratch.ts";

afterAll(removeScratchFolders);
