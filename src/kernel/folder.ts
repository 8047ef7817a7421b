// Makes folders. Node's own way with `recursive` never returns where the system denies that a folder exists which is there, as in /proc.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes the folder, and those above it, where they are missing. Throws what the file system throws. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw cause;
  }
}
