// One step of the conformance script: its row of docs/interface.md, what is assumed there, and what was seen.

import type { BotConfig } from "../../bot/config/config.ts";
import type { Venue } from "../../bot/venue/port.ts";
import type { Host } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { Facts } from "../doctor/facts.ts";
import type { LiveTest } from "../doctor/live-order.ts";
import type { Heard } from "./heard.ts";

/** `holds` null: the assumption could not be checked. */
export type Seen = { readonly holds: boolean | null; readonly seen: string };

export type Subject = {
  readonly config: BotConfig;
  readonly venue: Venue;
  readonly facts: Facts;
  readonly clock: Host["clock"];
  readonly heard: Heard;
  /** Whether sending must stop. */
  readonly isStopped: () => boolean;
  /** Null: no order can be placed, and why. */
  readonly test: LiveTest | string;
  /** The keys for the written file. */
  readonly measured: { openOrderCap?: number; takerFeeBps?: number };
};

/** `row`: of docs/interface.md, an assumption's number (NS-…) where it has one. */
export type Step = {
  readonly row: string;
  readonly assumption: string;
  readonly look: (subject: Subject) => Promise<Seen>;
};

export const seen = (holds: boolean | null, text: string): Seen => ({ holds, seen: text });

/** A look that throws means that the assumption does not hold. */
export async function looked(step: Step, subject: Subject): Promise<Seen> {
  try {
    return await step.look(subject);
  } catch (error) {
    return seen(false, messageOf(error));
  }
}
