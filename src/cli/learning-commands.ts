// Options of the commands that learn from a recording or from other data.

import { printNumber } from "./arguments.ts";
import type { CalibrateOptions } from "./calibrate.ts";
import type { Commands, Doors } from "./fleet-commands.ts";
import type { ImportOptions } from "./import.ts";
import type { ReconcileOptions } from "./reconcile.ts";

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

  command("calibrate", "fits strategy parameters to a recording, or scores the next-print model on an index history")
    .argument("[recording]", RECORDING)
    .option("--prints <FILE>", "a CSV file with the header parcl_id,date,price_feed")
    .option("--series <ID>", "the parcl_id of a series in the file")
    .option("--from <N>", "the first print to score, counted from 0", printNumber, 60)
    .option("--json", "print JSON", false)
    .action((recording: string | undefined, options: CalibrateOptions) =>
      ends(async (given: CalibrateOptions) => (await import("./calibrate.ts")).calibrate(recording, given, host))(
        options,
      ),
    );
}

/** `quoin import`. */
export function importCommand({ command, ends, host }: Doors & Commands): void {
  command("import", "converts a day of LOBSTER data into a recording without an account, for backtest and calibrate")
    .argument("<messages>", "its `message` file, CSV")
    .argument("<orderbook>", "its `orderbook` file, with as many lines")
    .requiredOption("--out <FOLDER>", "where the recording goes; the folder must not have one")
    .action((messages: string, orderbook: string, options: ImportOptions) =>
      ends(async (given: ImportOptions) =>
        (await import("./import.ts")).importLobster(messages, orderbook, given, host),
      )(options),
    );
}
