// Waits for the operator to end a command.

import type { Host } from "./host.ts";

/**
 * Resolves with the first of SIGINT and SIGTERM. Listens on for the life of the process: a terminal and a package runner may
 * both pass on the same Ctrl-C, and a second signal must not cut off the canceling that the first one began.
 */
export function untilStopped(host: Host): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) host.onSignal(signal, () => resolve(signal));
  });
}
