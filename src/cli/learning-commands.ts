// Options of the commands that learn: from a recording, from other data, or from backtests.

import { Option } from "commander";
import type { AblateOptions } from "./ablate.ts";
import {
  amount,
  collect,
  count,
  days,
  daysFromZero,
  duration,
  marketNumber,
  printNumber,
  seed,
  share,
} from "./arguments.ts";
import type { CalibrateOptions } from "./calibrate.ts";
import { exportFormats, importSources } from "./choices.ts";
import { ConfigOption } from "./config-option.ts";
import type { ExportOptions } from "./export.ts";
import type { Commands, Doors } from "./fleet-commands.ts";
import type { ImportOptions } from "./import.ts";
import type { ReconcileOptions } from "./reconcile.ts";
import type { TuneOptions } from "./tune.ts";

const RECORDING = "a recording, or the folder of all of its files";

export function learningCommands({ command, ends, host }: Doors & Commands): void {
  command("reconcile", "fills a recording's orders by each queue model, and compares with the real fills")
    .argument("<recording>", RECORDING)
    .option("--json", "print JSON, one object a model", false)
    .action((recording: string, options: ReconcileOptions) =>
      ends(async (given: ReconcileOptions) => (await import("./reconcile.ts")).reconcile(recording, given, host))(
        options,
      ),
    );

  command("ablate", "runs a recorded day again with one part of the bot neutral at a time: what each earned or cost")
    .argument("<recording>", RECORDING)
    .option("--workers <W>", "threads for the runs", count, host.cores)
    .option("--json", "print JSON, one object for each part", false)
    .action((recording: string, options: AblateOptions) =>
      ends(async (given: AblateOptions) => (await import("./ablate.ts")).ablate(recording, given, host))(options),
    );

  command("calibrate", "fits strategy parameters to a recording, or scores the next-print model on an index history")
    .argument("[recording]", RECORDING)
    .option(
      "--prints <FILE>",
      "an index file of Parcl Labs, FHFA, FRED, Zillow, Redfin or HM Land Registry, or one like it",
    )
    .option("--series <ID>", "a code, region or column of the file, or CODE:COLUMN; left out, the only one")
    .option(
      "--signal <FILE>",
      "with --prints: an index file; scores what its values add to the forecast, and prices that",
    )
    .option("--signal-series <ID>", "its series, as --series")
    .option("--published-after-days <N>", "days from a row's date until its value is known (default: 1)", daysFromZero)
    .option("--from <N>", "the first print to score, counted from 0", printNumber, 60)
    .option("--json", "print JSON", false)
    .action((recording: string | undefined, options: CalibrateOptions) =>
      ends(async (given: CalibrateOptions) => (await import("./calibrate.ts")).calibrate(recording, given, host))(
        options,
      ),
    );
}

/** `quoin tune`. */
export function tuneCommand({ command, ends, host }: Doors & Commands): void {
  command("tune", "searches parameters by backtests; says whether one setting beats the present one on other seeds")
    .addOption(new ConfigOption("the bot's configuration, with `embedded` unless on recordings; it is never written"))
    .option(
      "--param <PATH=LOW..HIGH>",
      "a strategy's parameter and its range, its values as PATH=V1,V2, or PATH alone for the strategy's own range; again for another",
      collect,
      [],
    )
    .addOption(
      new Option("--recording <FILE>", `${RECORDING}, to search in its market instead; again for another`)
        .argParser(collect)
        .default([], "none")
        .conflicts(["days", "seeds"]),
    )
    .option("--days <N>", "simulated days per run, may be a fraction", days, 1)
    .option(
      "--warm-up <N>",
      "simulated days before that (default: a quarter of --days, 0.25 at most; in a recording none)",
      daysFromZero,
    )
    .option("--seeds <N>", "seeds of the search; as many others confirm", count, 20)
    .addOption(new Option("--seed <K>", "the first of them").argParser(seed).default(1n, "1"))
    .addOption(
      new Option("--runs <N>", "runs in all (default: 16 for each seed, or 32 settings on recordings)").argParser(
        count,
      ),
    )
    .addOption(new Option("--budget <TIME>", "as many runs as fit, such as 2h").argParser(duration).conflicts("runs"))
    .option(
      "--screen <N>",
      "screen so many settings first, as backtest --approximate does: the best of them race; not on recordings",
      count,
    )
    .option("--worst-day-min <USDC>", "refuse what loses more on its worst day, such as -50", amount)
    .option("--position-std-max <N>", "refuse a position that deviates by more contracts", amount)
    .option("--uptime-min <SHARE>", "refuse what quotes both sides for less of the time, 0 to 1", share)
    .option("--actions-max <N>", "refuse what acts more often a day", count)
    .option("--workers <W>", "threads for the runs", count, host.cores)
    .option("--resume <FOLDER>", "keep finished runs in FOLDER, and go on from those that it has")
    .option("--report <FILE>", "write a page of HTML on the confirming runs to FILE")
    .option("--out <FILE>", "write a copy of the configuration with the winner as `shadow` to FILE")
    .option("--json", "print JSON, one object per line", false)
    .action(ends(async (options: TuneOptions) => (await import("./tune.ts")).tune(options, host)));
}

/** `quoin import`. */
export function importCommand({ command, ends, host }: Doors & Commands): void {
  command("import", "converts market data into a recording without an account, for backtest, tune and calibrate")
    .argument(
      "<files...>",
      "of LOBSTER a `message` and an `orderbook` file; of Tardis incremental_book_L2 and trades, CSV or .csv.gz; of hftbacktest .npz files",
    )
    .addOption(new Option("--from <PUBLISHER>", "whose files they are").choices(importSources).default("lobster"))
    .requiredOption("--out <FOLDER>", "where the recording goes; the folder must not have one")
    .action((files: readonly string[], options: ImportOptions) =>
      ends(async (given: ImportOptions) => (await import("./import.ts")).importData(files, given, host))(options),
    );
}

/** `quoin export`. */
export function exportCommand({ command, ends, host }: Doors & Commands): void {
  command("export", "writes a recording for other programs: tables in Parquet, or one market's events for hftbacktest")
    .argument("<recording>", RECORDING)
    .addOption(
      new Option(
        "--format <F>",
        "books, trades, orders, decisions and markouts in Parquet; or an .npz file of hftbacktest",
      )
        .choices(exportFormats)
        .makeOptionMandatory(),
    )
    .requiredOption("--out <PATH>", "the folder of the tables, or the .npz file; files that are there are replaced")
    .option("--market <ID>", "only this market", marketNumber)
    .action((recording: string, options: ExportOptions) =>
      ends(async (given: ExportOptions) => (await import("./export.ts")).exportRecording(recording, given, host))(
        options,
      ),
    );
}
