// The daemon's proof of life for a watchdog: beats are completed turns, so that a process that answers HTTP and decides nothing is
// as silent as a dead one. The phase tells a clean stop from a death.

export type Phase = "starting" | "trading" | "stopping";

export type Heartbeat = {
  readonly phase: Phase;
  /** Grows with each completed turn of all markets. Compared with itself, so that no two clocks need agree. */
  readonly turns: number;
  /** Ids of foreign orders that rest and must stay, decimal text. */
  readonly kept: readonly string[];
};

/** What another process answered, as a heartbeat; undefined when it is none. */
export function readHeartbeat(answer: unknown): Heartbeat | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { phase, turns, kept = [] } = answer as Partial<Record<keyof Heartbeat, unknown>>;
  if (phase !== "starting" && phase !== "trading" && phase !== "stopping") return undefined;
  if (!Array.isArray(kept) || !kept.every((id): id is string => typeof id === "string" && /^\d{1,20}$/.test(id)))
    return undefined;
  return Number.isSafeInteger(turns) ? { phase, turns: turns as number, kept } : undefined;
}
