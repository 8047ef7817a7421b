// A transaction of an earlier run that may have landed, as events: sent, and its answer lost. This run did not send it.

import type { Command } from "../../../domain/command.ts";
import type { ExecutionEvent } from "../../../domain/event.ts";
import type { Nonce } from "../../../domain/units.ts";

export const recovered = (nonce: Nonce, command: Command, receivedMs: number): readonly ExecutionEvent[] => [
  { kind: "sent", nonce, command, receivedMs },
  { kind: "answered", nonce, command, outcome: { kind: "unknown", why: "sent by an earlier process run" }, receivedMs },
];
