// Permission to send: a command that the guard has approved. Execution accepts nothing else, and only the guard makes one.

import type { Command } from "../../domain/command.ts";

/** Only for the compiler. A private member cannot be written by hand, and is lost in a copy with changes. */
declare class Permission {
  private readonly given: true;
}

export type Approved<C extends Command = Command> = C & Permission;
