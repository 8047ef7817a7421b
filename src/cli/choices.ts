// The words that options choose from, apart from the commands: the command line lists them before any command is loaded.

import { ledgerTables } from "../bot/ledger/store.ts";
import { liftables } from "../domain/latch.ts";

/** What a resume may be narrowed to. */
export const latchNames = liftables;

/** What may be exported. */
export const tableNames = ledgerTables;

/** How a report is written. */
export const reportFormats = ["table", "csv", "json", "parquet"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** What PnL is summed over, in UTC. */
export const periods = ["day", "week", "month"] as const;
export type Period = (typeof periods)[number];

/** What completion is written for. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];
