// Reads of the account that are well-formed but wrong. In one world, one of its three reads lies; if two sources told the same lie, no bot
// could notice.

import type { Prng } from "../../kernel/prng.ts";

type Fields = Record<string, unknown>;

const witnesses = [
  /^\/v1\/accounts\/\d+$/,
  /^\/v1\/accounts\/\d+\/orders$/,
  /^\/v1\/accounts\/\d+\/positions$/,
] as const;

/** Draws which read lies. */
export const drawLiar = (prng: Prng): RegExp => prng.pick(witnesses);

const half = (list: readonly unknown[], prng: Prng): readonly unknown[] => list.filter(() => prng.chance(0.5));

/** Three times as large, and sometimes on the other side. */
const otherPosition = (position: Fields, prng: Prng): Fields => ({
  ...position,
  size: `${BigInt(String(position.size)) * 3n}`,
  ...(prng.chance(0.3) && { side: position.side === "Long" ? "Short" : "Long" }),
});

const change: Readonly<Record<string, (list: readonly Fields[], prng: Prng, isOfOrders: boolean) => unknown>> = {
  noList: () => undefined,
  emptyList: () => [],
  partOfOrders: (list, prng, isOfOrders) => (isOfOrders ? half(list, prng) : list),
  otherPosition: (list, prng, isOfOrders) =>
    isOfOrders ? list : list.map((position) => otherPosition(position, prng)),
};

/** The answer changed by the fault; an account read has two lists, of which one changes. Keeps changes by other faults. */
export function lie(how: string, text: string, path: string, prng: Prng): string {
  const to = change[how];
  if (to === undefined || !/^[[{]/.test(text)) return text;
  const json = JSON.parse(text) as Fields | Fields[];
  if (Array.isArray(json)) return JSON.stringify(to(json, prng, path.endsWith("/orders")) ?? {});
  const name = how === "partOfOrders" || (how !== "otherPosition" && prng.chance(0.5)) ? "openOrders" : "positions";
  const list = json[name];
  return Array.isArray(list) ? JSON.stringify({ ...json, [name]: to(list, prng, name === "openOrders") }) : text;
}
