// A step of a chain: what it is about to do. Most are one act; the crowd's and users' transactions come several at a time.

import { sha256Hex } from "../../../kernel/hash.ts";
import type { Print } from "../block.ts";
import type { ControlAct } from "../control.ts";
import type { CrowdAction } from "../sources.ts";

/** Whether it succeeds follows from the state: steps that are refused are written too. */
export type Step =
  | {
      readonly kind: "begin";
      readonly height: number;
      readonly timeMs: number;
      /** Hash of the block before. */
      readonly parentHash: string;
      readonly prints: readonly Print[];
    }
  | { readonly kind: "crowd"; readonly actions: readonly CrowdAction[] }
  | { readonly kind: "control"; readonly act: ControlAct }
  /** Transactions that came together: their bodies as received, and the time of the chain as they came, Unix ms. */
  | { readonly kind: "transactions"; readonly bodies: readonly string[]; readonly emittedMs: number }
  | { readonly kind: "end" };

/** Steps of one act each, which come to the same. */
export function actsOf(step: Step): readonly Step[] {
  if (step.kind === "crowd") return step.actions.map((action) => ({ ...step, actions: [action] }));
  if (step.kind === "transactions") return step.bodies.map((body) => ({ ...step, bodies: [body] }));
  return [step];
}

/** The step up to its act `count`; undefined where nothing is left of it. */
export function firstActs(step: Step, count: number): Step | undefined {
  if (count === 0) return undefined;
  if (step.kind === "crowd") return { ...step, actions: step.actions.slice(0, count) };
  if (step.kind === "transactions") return { ...step, bodies: step.bodies.slice(0, count) };
  return step;
}

/** A step of one act, for readers. */
export function nameOf(step: Step): string {
  switch (step.kind) {
    case "begin":
      return "its beginning";
    case "crowd":
      return `an act of the crowd's account ${step.actions[0]?.accountId}`;
    case "control":
      return `the operator's act ${step.act.act}`;
    case "transactions":
      return `transaction ${sha256Hex(step.bodies[0] ?? "")}`;
    case "end":
      return "its end";
  }
}
