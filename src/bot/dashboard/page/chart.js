// A line chart over time as elements of SVG. Each line has a pattern of its own beside its color, and fills are triangles: up where we
// bought, down where we sold.

import { element } from "./dom.js";

/**
 * @import { Tag } from "./dom.js"
 * @typedef {{ readonly name: string; readonly look: string; readonly points: readonly (readonly [number, number | null])[] }} Line
 * @typedef {{ readonly atMs: number; readonly value: number; readonly isBuy: boolean; readonly words: string }} Mark
 */

/** Of a chart as wide as the page, and of one of three beside each other. */
const WIDTH = 720;
export const NARROW = 330;
const HEIGHT = 200;
const RIGHT = 64;
const BOTTOM = 18;
const MARK = 5;

/** @type {(title: string, lines: readonly Line[], how?: { readonly marks?: readonly Mark[]; readonly width?: number }) => Tag} */
export function chart(title, lines, { marks = [], width = WIDTH } = {}) {
  const known = lines.flatMap(({ points }) => points.flatMap(([at, value]) => (value === null ? [] : [{ at, value }])));
  if (new Set(known.map(({ at }) => at)).size < 2)
    return element("p", { class: "soft" }, `${title}: not enough history yet`);
  const [fromMs, toMs] = [Math.min(...known.map(({ at }) => at)), Math.max(...known.map(({ at }) => at))];
  const shownMarks = marks.filter(({ atMs }) => atMs >= fromMs);
  const values = [...known.map(({ value }) => value), ...shownMarks.map(({ value }) => value)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = (high - low || Math.abs(high) * 0.001 || 1) * 0.08;
  /** @type {(at: number) => number} */
  const x = (at) => Math.min(width - RIGHT, ((at - fromMs) / (toMs - fromMs || 1)) * (width - RIGHT));
  /** @type {(value: number) => number} */
  const y = (value) => (1 - (value - low + pad) / (high - low + 2 * pad)) * (HEIGHT - BOTTOM);
  return element(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary(title, lines) },
    ...roundBetween(low, high).map((value) =>
      element(
        "g",
        {},
        element("line", { class: "grid", x1: "0", x2: `${width - RIGHT}`, y1: fixed(y(value)), y2: fixed(y(value)) }),
        element("text", { x: `${width - RIGHT + 4}`, y: fixed(y(value) + 4) }, short(value)),
      ),
    ),
    element("text", { x: "0", y: `${HEIGHT - 3}` }, clock(fromMs)),
    element("text", { x: `${width - RIGHT}`, y: `${HEIGHT - 3}`, class: "end" }, clock(toMs)),
    ...lines.map(({ look, points }) => element("path", { class: `line ${look}`, d: pathOf(points, x, y) })),
    ...shownMarks.map(({ atMs, value, isBuy, words }) =>
      element(
        "path",
        { class: isBuy ? "mark bought" : "mark sold", d: triangle(x(atMs), y(value), isBuy) },
        element("title", {}, words),
      ),
    ),
  );
}

/**
 * @typedef {{ readonly name: string; readonly values: readonly { readonly look: string; readonly value: number; readonly words: string }[] }} Group
 */

const BARS_HEIGHT = 120;

/** Bars from zero, side by side in groups, named below where there is room. @type {(title: string, groups: readonly Group[]) => Tag} */
export function bars(title, groups) {
  const values = groups.flatMap((group) => group.values);
  if (values.length === 0) return element("p", { class: "soft" }, `${title}: no day yet`);
  const [low, high] = [
    Math.min(0, ...values.map(({ value }) => value)),
    Math.max(0, ...values.map(({ value }) => value)),
  ];
  const room = BARS_HEIGHT - BOTTOM;
  /** @type {(value: number) => number} */
  const y = (value) => ((high - value) / (high - low || 1)) * (room - 10) + 8;
  const step = (NARROW - RIGHT) / groups.length;
  const named = Math.ceil(groups.length / 4);
  const last = values.map(({ words }) => words).slice(-(groups.at(-1)?.values.length ?? 0));
  return element(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${NARROW} ${BARS_HEIGHT}`,
      role: "img",
      "aria-label": `${title}: ${last.join(", ")}`,
    },
    ...roundBetween(low, high).map((value) =>
      element(
        "g",
        {},
        element("line", { class: "grid", x1: "0", x2: `${NARROW - RIGHT}`, y1: fixed(y(value)), y2: fixed(y(value)) }),
        element("text", { x: `${NARROW - RIGHT + 4}`, y: fixed(y(value) + 4) }, short(value)),
      ),
    ),
    ...groups.flatMap(({ name, values: shown }, nth) => {
      const width = Math.min((step * 0.8) / shown.length, 18);
      const left = nth * step;
      return [
        ...shown.map(({ look, value, words }, at) =>
          element(
            "path",
            {
              class: `bar ${look}`,
              d: `M${fixed(left + at * width)} ${fixed(y(0))}H${fixed(left + (at + 1) * width)}V${fixed(y(value))}H${fixed(left + at * width)}Z`,
            },
            element("title", {}, words),
          ),
        ),
        ...(nth % named === 0 ? [element("text", { x: fixed(left), y: `${BARS_HEIGHT - 3}` }, name)] : []),
      ];
    }),
  );
}

/**
 * Two to five round values within a range: 1, 2 or 5 of some power of ten apart.
 *
 * @type {(low: number, high: number) => readonly number[]}
 */
function roundBetween(low, high) {
  const third = (high - low) / 3;
  if (!(third > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(third));
  const step = power * ([1, 2, 5].findLast((factor) => power * factor <= third) ?? 1);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, nth) => (first + nth) * step);
}

/**
 * A gap where a value is unknown.
 *
 * @type {(points: Line["points"], x: (at: number) => number, y: (value: number) => number) => string}
 */
function pathOf(points, x, y) {
  let isDown = false;
  return points
    .map(([at, value]) => {
      const step = value === null ? "" : `${isDown ? "L" : "M"}${fixed(x(at))} ${fixed(y(value))}`;
      isDown = value !== null;
      return step;
    })
    .join("");
}

/** @type {(x: number, y: number, isUp: boolean) => string} */
const triangle = (x, y, isUp) => {
  const tip = isUp ? -MARK : MARK;
  return `M${fixed(x)} ${fixed(y + tip)}L${fixed(x - MARK)} ${fixed(y - tip)}L${fixed(x + MARK)} ${fixed(y - tip)}Z`;
};

/** @type {(title: string, lines: readonly Line[]) => string} */
const summary = (title, lines) =>
  `${title}: ${lines
    .map(({ name, points }) => {
      const last = points.findLast(([, value]) => value !== null)?.[1];
      return `${name} ${last === undefined || last === null ? "unknown" : short(last)}`;
    })
    .join(", ")}`;

/** @type {(value: number) => string} */
const fixed = (value) => value.toFixed(1);
/** @type {(value: number) => string} */
const short = (value) => value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) < 1000 ? 3 : 1 });
/** @type {(atMs: number) => string} */
const clock = (atMs) => new Date(atMs).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
