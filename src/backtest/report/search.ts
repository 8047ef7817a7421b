// A search for parameters on the report: what came of it, every setting's parameters against its result, what is best in one thing without
// being worse in another, and how the settings raced. Scores are compared on equal seeds, since seeds differ by far more than settings.

import { legend, lineChart, scatterChart } from "../../report/charts.ts";
import { card, decimal, escaped, signed, table } from "../../report/markup.ts";
import type { RunLine } from "../outcome.ts";
import { meanOf } from "../summary.ts";
import { setText } from "../table.ts";
import { nameOf } from "../tune/table.ts";
import type { Tuned } from "../tune/tune.ts";

/** Colors, in the order of the legend. */
const kinds = ["present configuration", "winner", "confirmed"] as const;
/** A wider range is drawn in the logarithm. */
const LOG_ABOVE = 100;

/** A setting of the race as it is drawn. */
type Drawn = {
  readonly name: string;
  readonly set: RunLine["set"];
  /** Index into `kinds`; null: none of them. */
  readonly color: number | null;
  readonly scores: readonly number[];
};

/** The cards, after each other. */
export function searchCards(tuned: Tuned): string {
  const { line } = tuned;
  const drawn = drawnOf(tuned);
  const paths = [...new Set(drawn.flatMap(({ set }) => Object.keys(set)))];
  const found = line.winner === null ? "Nothing found" : nameOf(line.winner);
  const verdict = `<section class="card verdict" aria-label="The search"><p><b>${escaped(found)}</b>: ${escaped(line.reason.replace(/^nothing found: /, ""))}.</p></section>`;
  const charts = [
    ...paths.map((path) => parameterCard(path, drawn)),
    raceCard(drawn, tuned),
    paretoCard(tuned),
    neighborsCard(tuned),
  ];
  const halves = charts.filter((chart) => chart !== "").map((chart) => `<div class="side">${chart}</div>`);
  return `${verdict}<div class="halves">${halves.join("\n")}</div>`;
}

const isPresent = (set: RunLine["set"]): boolean => Object.keys(set).length === 0;

function colorOf(set: RunLine["set"], { candidates, line }: Tuned): number | null {
  const key = JSON.stringify(set);
  if (isPresent(set)) return 0;
  if (key === JSON.stringify(line.winner?.set)) return 1;
  return candidates.some((of) => of.confirmed && JSON.stringify(of.set) === key) ? 2 : null;
}

/** The colored ones last, above the others. */
function drawnOf(tuned: Tuned): readonly Drawn[] {
  const all = tuned.race.map(
    ({ set, scores }): Drawn => ({ name: nameOf({ set }), set, color: colorOf(set, tuned), scores }),
  );
  return [...all.filter(({ color }) => color === null), ...all.filter(({ color }) => color !== null)];
}

/** USDC a day over the present configuration, on the seeds or stretches that both have. */
function leadOf({ scores }: Drawn, drawn: readonly Drawn[]): number {
  const present = drawn.find(({ set }) => isPresent(set))?.scores ?? [];
  return meanOf(scores.slice(0, present.length).map((score, nth) => score - (present[nth] ?? 0)));
}

/** Only the kinds that are drawn; each keeps its color. */
const keys = (drawn: readonly Pick<Drawn, "color">[]): string =>
  legend(kinds.map((kind, nth) => (drawn.some(({ color }) => color === nth) ? kind : null)));

function parameterCard(path: string, drawn: readonly Drawn[]): string {
  const tried = drawn.filter(({ set }) => !isPresent(set));
  const values = tried.map(({ set }) => set[path]);
  const numbers = values.every((value) => typeof value === "number") ? (values as readonly number[]) : null;
  const names = numbers === null ? [...new Set(values.map(String))] : undefined;
  const name = path.split(".").at(-1) ?? path;
  const isLog = numbers !== null && Math.min(...numbers) > 0 && Math.max(...numbers) > LOG_ABOVE * Math.min(...numbers);
  const points = tried.map((setting, nth) => {
    const at = numbers?.[nth] ?? names?.indexOf(String(values[nth])) ?? 0;
    const { name: of, color } = setting;
    return { name: of, x: isLog ? Math.log10(at) : at, y: leadOf(setting, drawn), color };
  });
  const title = `Lead by ${name}`;
  const xLabel = isLog ? `${name}, as a power of ten` : name;
  const yLabel = "USDC a day over the present configuration";
  const chart = scatterChart({ title, points, xLabel, yLabel, ...(names !== undefined && { xNames: names }) });
  return card(
    title,
    "Score less that of the present configuration, on what both ran on in the search. A gray point was not confirmed.",
    `${keys(tried)}${chart}`,
  );
}

/** The mean lead so far, seed by seed; on recordings, the lead in each test. */
function raceCard(drawn: readonly Drawn[], { line: { walkForward } }: Tuned): string {
  const rounds = Math.max(0, ...drawn.map(({ scores }) => scores.length));
  if (rounds === 0) return "";
  const isRecorded = walkForward !== undefined;
  const bases = drawn.filter(({ set, scores }) => (isRecorded ? isPresent(set) : scores.length === rounds));
  const base = Array.from({ length: rounds }, (_, nth) => meanOf(bases.map(({ scores }) => scores[nth] ?? 0)));
  const lines = drawn.map(({ name, color, scores }) => {
    const leads = scores.map((score, nth) => score - (base[nth] ?? 0));
    return {
      name,
      color,
      points: (isRecorded ? leads : runningMeans(leads)).map((lead, nth) => [nth + 1, lead] as const),
    };
  });
  const [title, says] = isRecorded
    ? [
        "Lead in each stretch",
        "Score less that of the present configuration. The blocks before a stretch picked what counts in it.",
      ]
    : [
        "The race",
        "Mean score after each seed of the search, less that of the settings that ran on all of them. A line that ends early was surely worse, or left its runs to better ones.",
      ];
  const numbers = isRecorded
    ? table(
        "Picks",
        ["stretch", "picked", "blocks before", "blocks", "lead, USDC a day"],
        (walkForward?.folds ?? []).map(({ set, trainBlocks, testBlocks, lead }, nth) => [
          ...[`${nth + 1}`, nameOf({ set }), `${trainBlocks}`, `${testBlocks}`],
          signed(lead),
        ]),
      )
    : table(
        "Settings in the race",
        ["seed", "settings"],
        base.map((_, nth) => [`${nth + 1}`, `${drawn.filter(({ scores }) => scores.length > nth).length}`]),
      );
  const chart = lineChart({ title, lines, x: { label: isRecorded ? "stretch" : "seeds" }, y: { label: "USDC a day" } });
  return card(title, says, `${keys(drawn)}${chart}`, numbers);
}

function runningMeans(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value, nth) => {
    sum += value;
    return sum / (nth + 1);
  });
}

/** The confirmed settings, which have the same seeds or blocks. */
function paretoCard(tuned: Tuned): string {
  const title = "Score against the worst day";
  const confirmed = tuned.candidates.filter((candidate) => candidate.confirmed);
  const points = confirmed.map((candidate) => ({
    name: `${nameOf(candidate)}, worst day ${decimal(candidate.worstDay)}, score`,
    x: candidate.worstDay,
    y: candidate.scoreMean,
    color: colorOf(candidate.set, tuned),
  }));
  const rows = confirmed.map((candidate) => [
    nameOf(candidate),
    candidate.pareto ? "yes" : "no",
    signed(candidate.scoreMean),
    signed(candidate.worstDay),
    decimal(candidate.positionStd),
    `${decimal(100 * candidate.quoteUptime, 1)} %`,
    decimal(candidate.actionsPerDay, 0),
    candidate.keeps ? "yes" : "no",
  ]);
  const head = ["setting", "Pareto", "score", "worst day", "position", "uptime", "actions a day", "keeps limits"];
  const chart = scatterChart({ title, points, xLabel: "worst day, USDC", yLabel: "score, USDC a day" });
  return card(
    title,
    "Right and up is better. Pareto: no other confirmed setting has more score, a better worst day and a steadier position.",
    `${keys(points)}${chart}${table("Confirmed settings, USDC a day; position: standard deviation, contracts", head, rows)}`,
  );
}

/** How the winner's neighbors do; "" where none ran. */
function neighborsCard({ line: { walkForward } }: Tuned): string {
  if (walkForward == null || walkForward.neighbors.length === 0) return "";
  const { deflatedSharpe, trials, halfLifeHours, neighbors } = walkForward;
  const ratio = deflatedSharpe === null ? "–" : decimal(deflatedSharpe, 3);
  return card(
    "20 % beside the last pick",
    `A true optimum has good neighbors. The pick's deflated Sharpe ratio is ${ratio} for ${trials} trials. Half of a premium is gone after ${Number(halfLifeHours.toPrecision(3))} h; no pick goes by blocks that end so shortly before its test.`,
    table(
      "Less the present configuration over all blocks, USDC a day",
      ["setting", "lead"],
      neighbors.map(({ set, lead }) => [setText(set), signed(lead)]),
    ),
  );
}
