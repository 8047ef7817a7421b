// Creates folders. Node's own `recursive` never returns where the system denies an existing folder, as in /proc.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Creates the folder and missing parents. Throws what the file system throws. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have created it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw cause;
  }
}
