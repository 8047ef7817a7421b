// A checkout of our own to run the command from, with strategies that no user should have.

import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "./quoin.ts";

/** Copies what runs into `folder` and returns its start script. `strategies`: text by name. */
export function checkoutAt(folder: string, strategies: Readonly<Record<string, string>>): string {
  for (const part of ["src", "strategies", "package.json"])
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(strategies)) writeFileSync(join(folder, "strategies", `${name}.ts`), text);
  return join(folder, "src", "start.js");
}
