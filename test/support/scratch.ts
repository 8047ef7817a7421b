// Folders of tests, removed once their file has ended (remove-scratch.ts).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** A new, empty folder, there until its test file has ended. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `quoin-${name}-`));
  made.push(folder);
  return folder;
}

export function removeScratchFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
