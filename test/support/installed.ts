// Programs that the project does not depend on. Where one is missing, the tests that need it are skipped, and a line says so.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Whether the program is installed: the command succeeds, and `isGood` accepts its output. */
export function isInstalled(
  [program, ...args]: readonly [string, ...string[]],
  isGood: (stdout: string) => boolean = () => true,
): boolean {
  if (!isOnPath(program)) return false;
  try {
    return isGood(execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return false;
  }
}
