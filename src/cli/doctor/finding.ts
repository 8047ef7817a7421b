// The result of a check, and how it is printed: as a sentence, or as one JSON object per line.

import type { Host } from "../../host/host.ts";
import { printable } from "../../kernel/printable.ts";

export const checkNames = [
  "config",
  "keyFile",
  "reachable",
  "chainId",
  "clock",
  "agentKey",
  "otherAccounts",
  "account",
  "markets",
  "oracle",
  "budget",
  "collateral",
  "ledger",
  "secondDaemon",
  "watchdog",
  "liveOrder",
] as const;
export type CheckName = (typeof checkNames)[number];

/** `fail` stands in the way of going live, `warn` does not. */
export type Verdict = { readonly ok: boolean; readonly severity: "fail" | "warn"; readonly detail: string };
export type Finding = { readonly check: CheckName } & Verdict;

/** Passes without a problem; otherwise names every problem. */
export const judged = (
  problems: readonly string[],
  right: string,
  severity: Verdict["severity"] = "fail",
): Verdict => ({
  ok: problems.length === 0,
  severity: problems.length === 0 ? "fail" : severity,
  detail: problems.length === 0 ? right : problems.join("; "),
});

/** Joins two verdicts of severity fail, the failed one first. */
export const both = (one: Verdict, other: Verdict): Verdict => {
  const said = [one, other].toSorted((a, b) => Number(a.ok) - Number(b.ok)).map(({ detail }) => detail);
  return { ...one, ok: one.ok && other.ok, detail: said.filter((detail) => detail !== "").join("; ") };
};

export const notChecked = (why: string): Verdict => ({ ok: false, severity: "fail", detail: `not checked: ${why}` });

export const isFatal = ({ ok, severity }: Verdict): boolean => !ok && severity === "fail";

export function tell({ check, ok, severity, detail }: Finding, json: boolean, host: Host): void {
  if (json) host.stdout(`${JSON.stringify({ check, ok, severity, detail })}\n`);
  else host.stdout(`${(ok ? "ok" : severity).toUpperCase().padEnd(5)} ${check.padEnd(13)} ${printable(detail)}\n`);
}
