// One step that a chain is about to execute. Most steps are one act; crowd and user transactions come several per step.

import { sha256Hex } from "../../../kernel/hash.ts";
import type { Print } from "../block.ts";
import type { ControlAct } from "../control.ts";
import type { CrowdAction } from "../sources.ts";

/** Steps that are refused are written too, because success follows from the state. */
export type Step =
  | {
      readonly kind: "begin";
      readonly height: number;
      readonly timeMs: number;
      readonly parentHash: string;
      readonly prints: readonly Print[];
    }
  | { readonly kind: "crowd"; readonly actions: readonly CrowdAction[] }
  | { readonly kind: "control"; readonly act: ControlAct }
  /** Transactions that arrived together: their bodies as received, and the chain time of arrival, Unix ms. */
  | { readonly kind: "transactions"; readonly bodies: readonly string[]; readonly emittedMs: number }
  | { readonly kind: "end" };

/** Splits a step into equivalent steps of one act each. */
export function actsOf(step: Step): readonly Step[] {
  if (step.kind === "crowd") return step.actions.map((action) => ({ ...step, actions: [action] }));
  if (step.kind === "transactions") return step.bodies.map((body) => ({ ...step, bodies: [body] }));
  return [step];
}

/** The first `count` acts of the step; undefined for 0. */
export function firstActs(step: Step, count: number): Step | undefined {
  if (count === 0) return undefined;
  if (step.kind === "crowd") return { ...step, actions: step.actions.slice(0, count) };
  if (step.kind === "transactions") return { ...step, bodies: step.bodies.slice(0, count) };
  return step;
}

/** Describes a step of one act, for log lines. */
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
