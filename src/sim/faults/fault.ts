// The faults of a simulated world as data: what strikes, when, for how long. Two runs of one seed differ only by this list, so a failing
// run can be shrunk by leaving some out.

/** In the order of their numbers; strike.ts says what each does. */
export const faultKinds = [
  "frames",
  "halfOpen",
  "reconnects",
  "lostAnswers",
  "lateLanding",
  "badAnswers",
  "clock",
  "node",
  "oracle",
  "market",
  "agentKey",
  "disk",
  "crash",
  "terminate",
  "duplicate",
  "rate",
  "operator",
  "hostile",
  "stall",
  "watchdog",
  "lies",
  "foreignWords",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/**
 * The number of each kind, by which reports name it. There is no F11: fills that race cancels are part of the market, and always on.
 */
export const faultNumbers: Readonly<Record<FaultKind, string>> = {
  frames: "F1",
  halfOpen: "F2",
  reconnects: "F3",
  lostAnswers: "F4",
  lateLanding: "F5",
  badAnswers: "F6",
  clock: "F7",
  node: "F8",
  oracle: "F9",
  market: "F10",
  agentKey: "F12",
  disk: "F13",
  crash: "F14",
  terminate: "F15",
  duplicate: "F16",
  rate: "F17",
  operator: "F18",
  hostile: "F19",
  stall: "F20",
  watchdog: "–",
  lies: "–",
  foreignWords: "–",
};

export type Fault = {
  /** Identifies the fault within its world and seeds its random draws. */
  readonly id: number;
  readonly kind: FaultKind;
  /** The variety of its kind. */
  readonly how: string;
  /** Time after the start of the world, ms. */
  readonly atMs: number;
  /** Duration, ms; 0: it strikes once. */
  readonly forMs: number;
  /** Strength, in the unit of its variety: a share, milliseconds, basis points. */
  readonly amount: number;
};

export const faultLine = ({ id, kind, how, atMs, forMs, amount }: Fault): string =>
  `#${id} ${(atMs / 1000).toFixed(3)} s ${faultNumbers[kind]} ${kind}/${how}${forMs > 0 ? ` for ${(forMs / 1000).toFixed(1)} s` : ""}, ${amount}`;
