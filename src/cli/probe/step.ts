// One step of the conformance script: which row of docs/interface.md it looks at, what is assumed, and what was seen.

import type { BotConfig } from "../../bot/config/config.ts";
import type { Venue } from "../../bot/venue/port.ts";
import type { Host } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { Facts } from "../doctor/facts.ts";
import type { LiveTest } from "../doctor/live-order.ts";
import type { Heard } from "./heard.ts";

/** `holds` null: it could not be seen. */
export type Seen = { readonly holds: boolean | null; readonly seen: string };

export type Subject = {
  readonly config: BotConfig;
  readonly venue: Venue;
  readonly facts: Facts;
  readonly clock: Host["clock"];
  readonly heard: Heard;
  /** Nothing more is to be sent. */
  readonly isStopped: () => boolean;
  /** Null: no order can be placed, and why. */
  readonly test: LiveTest | string;
  /** What the file that is written should say. */
  readonly measured: { openOrderCap?: number; takerFeeBps?: number };
};

/** `row`: of docs/interface.md, an assumption's number (NS-…) where it has one. */
export type Step = {
  readonly row: string;
  readonly assumption: string;
  readonly look: (subject: Subject) => Promise<Seen>;
};

export const seen = (holds: boolean | null, text: string): Seen => ({ holds, seen: text });

/** A look that fails has seen that what was assumed to be there is not. */
export async function looked(step: Step, subject: Subject): Promise<Seen> {
  try {
    return await step.look(subject);
  } catch (error) {
    return seen(false, messageOf(error));
  }
}
