// The permission to send: a command that the guard has passed. Execution takes nothing else, and only the guard makes one.

import type { Command } from "../../domain/command.ts";

/** Exists for the compiler alone. A private member cannot be written by hand, and does not survive a copy with changes. */
declare class Permission {
  private readonly given: true;
}

export type Approved<C extends Command = Command> = C & Permission;
