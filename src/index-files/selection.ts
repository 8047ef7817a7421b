// Selects a series of a file: by its code or region, and by the column of its values. Counts the series for requests that name none.

import { nearest } from "../kernel/nearest.ts";
import { shown } from "../kernel/shown.ts";
import { createObservations, type Observations } from "./history.ts";
import { columnOf, type Table } from "./table.ts";

/** What distinguishes a series: its code, its name for people, and the content of further columns. */
export type SeriesName = { readonly code: string; readonly region: string; readonly apart: readonly string[] };

export type Wanted = {
  /** Null: the only one. */
  readonly series: string | null;
  /** Null: the one that the layout prefers. */
  readonly column: number | null;
};

/** `CODE`, `CODE:COLUMN` or `COLUMN`. A colon before anything but a column's name belongs to the code. */
export function wantedIn(asked: string | null, { names, rows }: Table): Wanted {
  if (asked === null || rows.kind !== "observations") return { series: asked, column: null };
  const columnAt = (name: string) => columnOf(names, name) ?? null;
  const colon = asked.lastIndexOf(":");
  const column = colon > 0 ? columnAt(asked.slice(colon + 1)) : null;
  if (column !== null) return { series: asked.slice(0, colon), column };
  const alone = columnAt(asked);
  return alone === null ? { series: asked, column: null } : { series: null, column: alone };
}

/** Largest number of series whose names are kept. Of a file with more, only the number is reported. */
const NAMED_MAX = 10_000;
/** Series that one name may mean before it is called unclear. */
const MEANT_MAX = 50;
const LISTED_MAX = 20;

export type Series = SeriesName & { readonly observations: Observations };

export type Selection = {
  /** Null: a row of this series is not wanted. */
  readonly seriesOf: (name: SeriesName) => Series | null;
  /** The one that is wanted, or a sentence that says why there is none. */
  readonly chosen: () => Series | string;
};

export function createSelection(wanted: string | null): Selection {
  const known = new Map<string, { readonly name: SeriesName; readonly series: Series | null }>();
  let more = 0;
  let kept: Series[] = [];
  let isSeveral = false;
  const keep = (name: SeriesName): Series | null => {
    if (wanted === null ? isSeveral : !isMeant(wanted, name) || kept.length >= MEANT_MAX) return null;
    if (wanted === null && kept.length > 0) {
      // Without a name a file of several series is refused: none of their rows is needed.
      isSeveral = true;
      kept = [];
      return null;
    }
    const series = { ...name, observations: createObservations() };
    kept.push(series);
    return series;
  };
  return {
    seriesOf(name) {
      const id = name.apart.length === 0 ? name.code : JSON.stringify([name.code, ...name.apart]);
      const found = known.get(id);
      if (found !== undefined) return isSeveral ? null : found.series;
      if (known.size >= NAMED_MAX && (wanted === null || !isMeant(wanted, name))) {
        more += 1;
        return null;
      }
      const series = keep(name);
      known.set(id, { name, series });
      return series;
    },
    chosen() {
      const exact = kept.filter(({ code, region }) => code === wanted || region === wanted);
      const [only, ...others] = exact.length === 1 ? exact : kept;
      if (only !== undefined && others.length === 0) return only;
      const all = [...known.values()].map(({ name }) => name);
      if (only !== undefined) return `has several series ${shown(wanted)}; name one of ${listed(kept, false)}`;
      if (all.length === 0) return "has no row under line 1";
      if (wanted === null) return `has several series; name one: ${listed(all, more > 0)}`;
      const near = nearest(
        wanted,
        all.flatMap(({ code, region }) => [code, region]),
      );
      const hint = near === undefined ? `it has ${listed(all, more > 0)}` : `did you mean ${near}?`;
      return `has no row of series ${wanted}; ${hint}`;
    },
  };
}

/** Ignores case. `DV_ENC/monthly` is the series with code DV_ENC and "monthly" in another column. */
function isMeant(wanted: string, { code, region, apart }: SeriesName): boolean {
  const asked = wanted.toLowerCase();
  return [code, region].some((each) => {
    const name = each.toLowerCase();
    if (name === "" || !asked.startsWith(name)) return false;
    if (asked.length === name.length) return true;
    const further = apart.map((text) => text.toLowerCase());
    return (
      asked[name.length] === "/" &&
      asked
        .slice(name.length + 1)
        .split("/")
        .every((part) => further.includes(part))
    );
  });
}

const NAME_MAX = 80;

/** In quotes where a comma would part it from itself. */
function nameText(name: string): string {
  const short = name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name;
  return short.includes(",") ? JSON.stringify(short) : short;
}

/** Names as `--series` takes them, each with its region. */
function listed(names: readonly SeriesName[], isMore: boolean): string {
  const differing = (names[0]?.apart ?? []).map((text, at) => names.some(({ apart }) => apart[at] !== text));
  const texts = names.slice(0, LISTED_MAX).map(({ code, region, apart }) => {
    const name = [code, ...apart.filter((_, at) => differing[at])].join("/");
    return region === "" || region === code ? nameText(name) : `${nameText(name)} (${nameText(region)})`;
  });
  const left = names.length - texts.length;
  return `${texts.join(", ")}${left > 0 || isMore ? `, and ${isMore ? "more than " : ""}${left} more` : ""}`;
}
