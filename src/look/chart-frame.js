// A chart in the look of the page: its colors follow light, dark and print, keys pan and zoom it, and each pane has its name.

import { createChart, createTextWatermark } from "lightweight-charts";

/**
 * @import { DeepPartial, IChartApi, TimeChartOptions } from "lightweight-charts"
 * @typedef {Readonly<Record<"text" | "soft" | "line" | "panel" | "accent" | "good" | "bad" | "oracle", string>>} Colors
 * @typedef {object} Hooks
 * @property {(colors: Colors) => void} dressed Colors have changed.
 * @property {() => void} moved Somebody panned or zoomed.
 * @property {() => void} follow The key End.
 * @typedef {{ readonly chart: IChartApi; readonly dress: () => void; readonly remove: () => void }} Frame
 */

const FONT = "system-ui, sans-serif";
const PAN_SHARE = 0.15;
/** Letters of a label of the time axis: how near labels may be. */
const TICK_LETTERS = 6;

/** A color of the look, as it is now. @type {(name: string) => string} */
export const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** @type {() => Colors} */
export const colorsNow = () => ({
  text: colorOf("text"),
  soft: colorOf("soft"),
  line: colorOf("hair"),
  panel: colorOf("panel"),
  accent: colorOf("accent"),
  good: colorOf("good"),
  bad: colorOf("bad"),
  oracle: colorOf("oracle"),
});

/** `#rrggbb` with an opacity of 0 to 255. @type {(color: string, opacity: number) => string} */
export const clear = (color, opacity) => `${color}${opacity.toString(16).padStart(2, "0")}`;

/** Options of a series whose values are in its legend. */
export const quiet = /** @type {const} */ ({
  priceLineVisible: false,
  lastValueVisible: false,
  crosshairMarkerVisible: false,
});

/** @type {(digits: number) => { readonly priceFormat: { readonly type: "custom"; readonly minMove: number; readonly formatter: (value: number) => string } }} */
export const formatted = (digits) => ({
  priceFormat: {
    type: "custom",
    minMove: 10 ** -digits,
    formatter: (value) => value.toFixed(digits).replace("-", "−"),
  },
});

/** Names of panes, in order; "" has none. @type {(chart: IChartApi, names: readonly string[], colors: Colors) => readonly { readonly detach: () => void }[]} */
export const nameplates = (chart, names, colors) =>
  names.flatMap((text, at) => {
    const pane = chart.panes()[at];
    if (text === "" || pane === undefined) return [];
    const lines = [{ text, color: colors.soft, fontSize: 10, fontFamily: FONT }];
    return [createTextWatermark(pane, { horzAlign: "left", vertAlign: "top", lines })];
  });

/**
 * `names`: of the panes. Dress it once its series are there; it does so itself whenever colors change.
 *
 * @type {(box: HTMLElement, options: DeepPartial<TimeChartOptions>, names: readonly string[], hooks: Hooks) => Frame}
 */
export function frameOf(box, options, names, { dressed, moved, follow }) {
  const chart = createChart(box, {
    autoSize: true,
    layout: {
      attributionLogo: false,
      background: { color: "transparent" },
      fontFamily: FONT,
      fontSize: 11,
      panes: { enableResize: false },
    },
    crosshair: { mode: 0 },
    // A finger that moves up or down scrolls the page.
    handleScroll: { vertTouchDrag: false },
    timeScale: {
      timeVisible: true,
      borderVisible: false,
      minBarSpacing: 0.2,
      // Labels at even distances, all in one weight.
      uniformDistribution: true,
      tickMarkMaxCharacterLength: TICK_LETTERS,
      allowBoldLabels: false,
      // Which labels there are is settled here, once.
      ...options.timeScale,
    },
    // A label that the pane's edge would cut is left out.
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.08 }, entireTextOnly: true },
  });
  chart.applyOptions(options);
  /** @type {readonly { readonly detach: () => void }[]} */
  let plates = [];
  const dress = () => {
    const colors = colorsNow();
    const { text, soft, line } = colors;
    chart.applyOptions({
      layout: { textColor: soft, panes: { separatorColor: line } },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      crosshair: {
        vertLine: { color: soft, labelBackgroundColor: text },
        horzLine: { color: soft, labelBackgroundColor: text },
      },
    });
    for (const plate of plates) plate.detach();
    plates = nameplates(chart, names, colors);
    dressed(colors);
  };
  const looks = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("print")];
  for (const look of looks) look.addEventListener("change", dress);
  for (const name of ["wheel", "pointerdown", "touchstart"]) box.addEventListener(name, moved, { passive: true });
  box.addEventListener("keydown", (event) => {
    if (event.key === "End") follow();
    else if (pressed(chart, event)) moved();
    else return;
    // The page stays where it is.
    event.preventDefault();
  });
  return {
    chart,
    dress,
    remove() {
      for (const look of looks) look.removeEventListener("change", dress);
      chart.remove();
    },
  };
}

/** How far each end of what is shown moves, in shares of it. @type {Readonly<Record<string, readonly [from: number, to: number]>>} */
const keys = {
  ArrowLeft: [-PAN_SHARE, -PAN_SHARE],
  ArrowRight: [PAN_SHARE, PAN_SHARE],
  "+": [PAN_SHARE, 0],
  "=": [PAN_SHARE, 0],
  "-": [-PAN_SHARE, 0],
};

/** Whether the key is the chart's. @type {(chart: IChartApi, event: KeyboardEvent) => boolean} */
function pressed(chart, event) {
  const scale = chart.timeScale();
  const shown = scale.getVisibleLogicalRange();
  const move = keys[event.key];
  if (shown === null || move === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
  const length = shown.to - shown.from;
  scale.setVisibleLogicalRange({ from: shown.from + move[0] * length, to: shown.to + move[1] * length });
  return true;
}
