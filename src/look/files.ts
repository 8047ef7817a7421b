// Files for the browser as they are on disk: the look, and those of packages.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Throws what the file system throws. */
export const lookText = (name: "look.css" | "chart-frame.js" | "icon.svg"): string =>
  readFileSync(join(import.meta.dirname, name), "utf8");

/** `file`: one other than the package's default. Throws what the file system throws, and where a package is missing. */
export function libraryText(name: string, file?: string): string {
  const entry = import.meta.resolve(name);
  const text = readFileSync(fileURLToPath(file === undefined ? entry : new URL(file, entry)), "utf8");
  return text.replace(/^\/\/# sourceMappingURL=.*$/m, "");
}
