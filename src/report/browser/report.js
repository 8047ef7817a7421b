// Draws the report's charts over time in place of their pictures: crosshair with values, zoom and pan, choice of a seed.

import { BaselineSeries, LineSeries, LineStyle, LineType } from "lightweight-charts";
import { clear, colorOf, formatted, frameOf, quiet } from "../../look/chart-frame.js";

/**
 * @import { ISeriesApi, SeriesType, Time, UTCTimestamp } from "lightweight-charts"
 * @import { Colors, Frame } from "../../look/chart-frame.js"
 * @import { TimeChart, TimeLine } from "../time-chart.ts"
 */

const DAY_SECONDS = 86_400;
const ZOOM_SHARE = 0.15;
/** Lines also differ by pattern, as in the pictures. */
const patterns = [
  LineStyle.Solid,
  LineStyle.Dashed,
  LineStyle.Dotted,
  LineStyle.LargeDashed,
  LineStyle.SparseDotted,
  LineStyle.Solid,
];

/** @type {(seconds: number) => string} */
const clockText = (seconds) => new Date(seconds * 1000).toISOString().slice(11, 16);

/** For a run, which begins at a midnight. */
const runTexts = {
  whole: "run",
  moment: (/** @type {number} */ seconds) =>
    `day ${Math.floor(seconds / DAY_SECONDS) + 1}, ${clockText(seconds)} of the run`,
  day: (/** @type {number} */ seconds) => `day ${seconds / DAY_SECONDS + 1}`,
};

/** For a live period. */
const periodTexts = {
  whole: "period",
  moment: (/** @type {number} */ seconds) =>
    `${new Date(seconds * 1000).toISOString().slice(0, 10)} ${clockText(seconds)} UTC`,
  day: (/** @type {number} */ seconds) => new Date(seconds * 1000).toISOString().slice(5, 10),
};

/** @type {(value: number, digits: number) => string} */
const signed = (value, digits) => `${value > 0 ? "+" : ""}${formatted(digits).priceFormat.formatter(value)}`;

/** @type {(line: TimeLine, isChosen: boolean, colors: Colors) => object} */
function lookOf({ look, unchosen, isArea, isStepped }, isChosen, colors) {
  const isFaint = look === "faint" || (!isChosen && unchosen === "faint");
  const color = isFaint ? clear(colors.soft, 0x60) : colorOf(`line-${look}`);
  const visible = isChosen || unchosen === "faint";
  if (isArea !== true)
    return {
      visible,
      color,
      lineStyle: isFaint ? LineStyle.Solid : patterns[Number(look)],
      lineWidth: isFaint || isStepped ? 1 : 2,
      crosshairMarkerVisible: !isFaint,
    };
  return {
    visible,
    topLineColor: color,
    topFillColor1: clear(color, 0x40),
    topFillColor2: clear(color, 0x10),
    bottomLineColor: color,
    bottomFillColor1: clear(color, 0x10),
    bottomFillColor2: clear(color, 0x40),
  };
}

/** One chart in its card. */
class Drawn {
  /** @type {TimeChart} */ #spec;
  /** @type {HTMLElement} */ #root;
  /** @type {Frame} */ #frame;
  /** @type {readonly ISeriesApi<SeriesType>[]} */ #series;
  /** @type {number | undefined} */ #chosen;
  /** @type {typeof runTexts} */ #texts;
  /** Seconds since 1970, or of the run. @type {readonly number[]} */ #times;

  /** @param {TimeChart} spec @param {HTMLElement} root @param {HTMLElement} box */
  constructor(spec, root, box) {
    this.#spec = spec;
    this.#root = root;
    this.#chosen = spec.choices?.chosen;
    this.#texts = spec.startMinute === undefined ? runTexts : periodTexts;
    this.#times = spec.minutes.map((minute) => (minute + (spec.startMinute ?? 0)) * 60);
    const { moment, day } = this.#texts;
    const tickMarkFormatter = (/** @type {Time} */ time) =>
      Number(time) % DAY_SECONDS === 0 ? day(Number(time)) : clockText(Number(time));
    const options = {
      localization: { timeFormatter: (/** @type {Time} */ time) => moment(Number(time)) },
      // With uniform distribution, labels are all shown or none, and the days of a month are too many.
      timeScale: { tickMarkFormatter, fixLeftEdge: true, fixRightEdge: true, uniformDistribution: false },
      // The mouse wheel scrolls the page.
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false, axisPressedMouseMove: { price: false, time: true } },
    };
    const names = spec.panes.map(({ name }) => name);
    const dressed = (/** @type {Colors} */ colors) => this.#paint(colors);
    this.#frame = frameOf(box, options, names, { dressed, moved: () => {}, follow: () => this.#whole() });
    this.#series = spec.lines.map((line) => this.#add(line));
    spec.panes.forEach(({ share }, nth) => {
      this.#frame.chart.panes()[nth]?.setStretchFactor(share);
    });
    this.#frame.dress();
    this.#whole();
    this.#frame.chart.subscribeCrosshairMove(({ logical }) => this.#tell(logical));
    this.#listen(box);
  }

  /** @type {(line: TimeLine) => ISeriesApi<SeriesType>} */
  #add({ pane, values, isStepped = false, isArea = false }) {
    const { panes } = this.#spec;
    const options = {
      ...quiet,
      lineWidth: /** @type {const} */ (1),
      lineType: isStepped ? LineType.WithSteps : LineType.Simple,
      ...formatted(panes[pane]?.digits ?? 2),
    };
    const { chart } = this.#frame;
    const series = isArea ? chart.addSeries(BaselineSeries, options, pane) : chart.addSeries(LineSeries, options, pane);
    series.setData(
      this.#times.map((time, nth) => ({ time: /** @type {UTCTimestamp} */ (time), value: values[nth] ?? 0 })),
    );
    return /** @type {ISeriesApi<SeriesType>} */ (series);
  }

  /** @type {(line: TimeLine) => boolean} */
  #isChosen = ({ choice }) => choice === undefined || choice === this.#chosen;

  /** @type {(colors: Colors) => void} */
  #paint(colors) {
    this.#spec.lines.forEach((line, nth) => {
      this.#series[nth]?.applyOptions(lookOf(line, this.#isChosen(line), colors));
    });
  }

  /** Shows the values under the crosshair, or at the end. @type {(logical?: number) => void} */
  #tell(logical) {
    const { lines, panes } = this.#spec;
    const last = this.#times.length - 1;
    const isIn = logical !== undefined && logical > -0.5 && logical < last + 0.5;
    const at = isIn ? Math.round(logical) : last;
    for (const entry of this.#all("[data-line]")) {
      const line = lines[Number(entry.dataset.line)];
      const value = entry.querySelector("dd");
      if (line === undefined || value === null) continue;
      entry.hidden = !this.#isChosen(line);
      value.textContent = signed(line.values[at] ?? 0, panes[line.pane]?.digits ?? 2);
    }
    const [moment] = this.#all(".moment");
    if (moment !== undefined)
      moment.textContent = isIn ? this.#texts.moment(this.#times[at] ?? 0) : `at the end of the ${this.#texts.whole}`;
  }

  /** @type {(selector: string) => readonly HTMLElement[]} */
  #all = (selector) => [.../** @type {NodeListOf<HTMLElement>} */ (this.#root.querySelectorAll(selector))];

  #whole() {
    this.#frame.chart.timeScale().fitContent();
  }

  /** Zooms by a share of the visible range, at both ends. @type {(share: number) => void} */
  #zoom(share) {
    const scale = this.#frame.chart.timeScale();
    const shown = scale.getVisibleLogicalRange();
    if (shown === null) return;
    const by = share * (shown.to - shown.from);
    scale.setVisibleLogicalRange({ from: shown.from + by, to: shown.to - by });
  }

  /** @type {(box: HTMLElement) => void} */
  #listen(box) {
    for (const hidden of this.#all(".ranges, .choices")) hidden.hidden = false;
    for (const button of this.#all("[data-zoom]"))
      button.addEventListener("click", () => {
        const how = button.dataset.zoom;
        if (how === "whole") this.#whole();
        else this.#zoom(how === "in" ? ZOOM_SHARE : -ZOOM_SHARE);
      });
    const onWheel = (/** @type {WheelEvent} */ event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#zoom(event.deltaY < 0 ? ZOOM_SHARE : -ZOOM_SHARE);
    };
    box.addEventListener("wheel", onWheel, { passive: false });
    box.addEventListener("dblclick", () => this.#whole());
    const select = this.#root.querySelector("select");
    select?.addEventListener("change", () => this.#choose(Number(select.value)));
    // The pictures in print show the first choice.
    addEventListener("beforeprint", () => {
      const first = this.#spec.choices?.chosen;
      if (select !== null && first !== undefined) {
        select.value = `${first}`;
        this.#choose(first);
      }
    });
  }

  /** @type {(choice: number) => void} */
  #choose(choice) {
    this.#chosen = choice;
    this.#frame.dress();
    this.#tell();
  }
}

for (const spec of /** @type {readonly TimeChart[]} */ (
  JSON.parse(document.getElementById("charts")?.textContent ?? "[]")
)) {
  const root = document.getElementById(spec.id);
  const box = /** @type {HTMLElement | null} */ (root?.querySelector(".canvas") ?? null);
  if (root === null || box === null) continue;
  box.hidden = false;
  root.classList.add("drawn");
  new Drawn(spec, root, box);
}
