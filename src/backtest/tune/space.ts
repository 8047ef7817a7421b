// The space of a search: parameters of strategies with their ranges or values, and the settings to try.

import type { Setting } from "../../bot/config/setting.ts";
import { exp, ln } from "../../kernel/real.ts";
import { GridError, parseAxis } from "../grid.ts";
import { SOBOL_DIMENSIONS_MAX } from "./sobol.ts";
import type { Point } from "./surrogate.ts";

/** `isLog`: evenly spread in the logarithm. */
export type Range = { readonly path: string; readonly low: number; readonly high: number; readonly isLog: boolean };
export type Choice = { readonly path: string; readonly values: readonly unknown[] };
export type Param = Range | Choice;
/** Its range is the strategy's. */
export type Unbounded = { readonly path: string };

/** The market whose parameter a path names. */
export type Place = { readonly account: string; readonly market: string };

/** A wider range is spread in the logarithm. */
const LOG_ABOVE = 100;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** `PATH=LOW..HIGH`, `PATH=V1,V2,…`, or `PATH` alone. Throws GridError. */
export function parseParam(written: string): Param | Unbounded {
  const at = written.indexOf("=");
  if (at < 0 && written !== "") {
    placeOf(written);
    return { path: written };
  }
  const path = written.slice(0, Math.max(0, at));
  const ends = written.slice(at + 1).split("..");
  if (path === "") throw wrong(written, "write it as PATH=LOW..HIGH or PATH=V1,V2,…");
  placeOf(path);
  if (ends.length === 1) return choiceOf(written);
  const [low, high] = ends.map((end) => (NUMBER.test(end.trim()) ? Number(end) : Number.NaN));
  if (ends.length !== 2 || low === undefined || high === undefined || !Number.isFinite(low) || !Number.isFinite(high))
    throw wrong(written, "LOW and HIGH are numbers, as in 1..12");
  if (low >= high) throw wrong(written, `LOW must be below HIGH, and ${low} is not below ${high}`);
  return rangeOf(path, low, high);
}

export const rangeOf = (path: string, low: number, high: number): Range => ({
  path,
  low,
  high,
  isLog: low > 0 && high / low > LOG_ABOVE,
});

function choiceOf(written: string): Choice {
  try {
    return parseAxis(written);
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    throw wrong(written, "write it as PATH=LOW..HIGH or PATH=V1,V2,…");
  }
}

/** Only these can become a shadow. Throws GridError for any other path. */
export function placeOf(path: string): Place {
  const [, account, market] = /^accounts\.(\d+)\.markets\.(\d+)\.params\../.exec(path) ?? [];
  if (account === undefined || market === undefined)
    throw wrong(path, "only parameters of a strategy can be tuned, as accounts.12.markets.1.params.halfSpreadBps");
  return { account, market };
}

export const wrong = (written: string, why: string): GridError =>
  new GridError("grid_written", [`--param ${written}: ${why}`]);

/** Throws GridError for a path that appears twice, and for too many. */
export function checkSpace(params: readonly Unbounded[]): void {
  const repeated = params.find(({ path }, nth) => params.findIndex((other) => other.path === path) < nth);
  if (repeated !== undefined) throw wrong(repeated.path, "it appears twice; name its range once");
  if (params.length === 0)
    throw new GridError("grid_written", ["an option is missing: --param PATH=LOW..HIGH, at least once"]);
  if (params.length > SOBOL_DIMENSIONS_MAX)
    throw new GridError("grid_written", [`${params.length} times --param, at most ${SOBOL_DIMENSIONS_MAX}`]);
}

/** The ends of a range, or each value. */
export const endsOf = (param: Param): readonly unknown[] =>
  "values" in param ? param.values : [param.low, param.high];

/** More digits are noise in the result and in the file. */
const DIGITS = 4;

/** What settings of a search are made of. */
export type Space = {
  readonly params: readonly Param[];
  /** Paths of ranges of whole numbers. */
  readonly wholes: ReadonlySet<string>;
  /** Whether the configuration accepts them. */
  readonly isAllowed: (settings: readonly Setting[]) => Promise<boolean>;
};

/** Up to `count` settings at these points, in their order: each once, none of `known`, and only allowed ones. */
export async function settingsAt(
  { params, wholes, isAllowed }: Space,
  points: Iterable<Point>,
  { count, known = [] }: { readonly count: number; readonly known?: readonly (readonly Setting[])[] },
): Promise<readonly (readonly Setting[])[]> {
  const seen = new Set(known.map(nameOf));
  const found: (readonly Setting[])[] = [];
  for (const point of points) {
    if (found.length === count) break;
    const settings = params.map((param, nth): Setting => {
      const share = point[nth] ?? 0;
      return { path: param.path, value: valueAt(param, share, wholes.has(param.path)) };
    });
    const name = nameOf(settings);
    if (seen.has(name)) continue;
    seen.add(name);
    if (await isAllowed(settings)) found.push(settings);
  }
  return found;
}

const nameOf = (settings: readonly Setting[]): string =>
  JSON.stringify(settings, (_, value) => (typeof value === "bigint" ? `${value}` : value));

/** Where settings of a space lie in it. */
export const pointOf = ({ params, wholes }: Space, settings: readonly Setting[]): Point =>
  params.map((param, nth) => shareOf(param, settings[nth]?.value, wholes.has(param.path)));

const NEIGHBORS = [0.8, 1.2];
/** Digits of a neighbor's value, which is no point of a range. */
const NEIGHBOR_DIGITS = 6;

/** The setting with each ranged parameter in turn a fifth lower and a fifth higher; whole numbers differ by at least one. */
export const neighborsIn = (
  params: readonly Param[],
  wholes: ReadonlySet<string>,
  settings: readonly Setting[],
): readonly (readonly Setting[])[] =>
  params.flatMap((param, nth) => {
    const value = Number(settings[nth]?.value);
    if ("values" in param || value === 0 || !Number.isFinite(value)) return [];
    return NEIGHBORS.map((factor) => {
      const moved = Number((value * factor).toPrecision(NEIGHBOR_DIGITS));
      const rounded = factor < 1 ? Math.floor(moved) : Math.ceil(moved);
      return settings.with(nth, { path: param.path, value: wholes.has(param.path) ? rounded : moved });
    });
  });

/** The middle of what `valueAt` makes this value of. */
function shareOf(param: Param, value: unknown, isWhole: boolean): number {
  if ("values" in param) return (param.values.indexOf(value) + 0.5) / param.values.length;
  const { low, high, isLog } = param;
  if (isLog) return ln(Number(value) / low) / ln(high / low);
  return isWhole ? (Number(value) - low + 0.5) / (high + 1 - low) : (Number(value) - low) / (high - low);
}

/** `share`: from 0 to below 1. */
function valueAt(param: Param, share: number, isWhole: boolean): unknown {
  if ("values" in param) return param.values[Math.floor(share * param.values.length)];
  const { low, high, isLog } = param;
  // Each whole number has an equal part of the range, or of its logarithm.
  const [from, until] = isWhole && !isLog ? [low, high + 1] : [low, high];
  const value = isLog ? from * exp(share * ln(until / from)) : from + share * (until - from);
  if (isWhole) return Math.min(high, isLog ? Math.round(value) : Math.floor(value));
  // Rounded by the width of the range: a narrow one far from zero keeps its values apart.
  const decimals = Math.max(0, DIGITS - 1 - Math.floor(Math.log10(isLog ? value : high - low)));
  return Math.min(high, Math.max(low, Number(value.toFixed(Math.min(20, decimals)))));
}
