// Allowed values of options. Apart from the commands, since the command line lists them before it loads a command.

import { ledgerTables } from "../bot/ledger/store.ts";
import { liftables } from "../domain/latch.ts";

/** Latches that a resume may name. */
export const latchNames = liftables;

/** Tables that may be exported. */
export const tableNames = ledgerTables;

/** Formats of a report. */
export const reportFormats = ["table", "csv", "json", "parquet"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Journals of plain-text accounting that `trades` writes too. */
export const journalFormats = ["hledger", "beancount"] as const;
export type JournalFormat = (typeof journalFormats)[number];
export const isJournalFormat = (format: string | undefined): format is JournalFormat =>
  journalFormats.some((name) => name === format);

/** What `export` writes. */
export const exportFormats = ["parquet", "hftbacktest"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Publishers of market data that `import` reads. */
export const importSources = ["lobster", "tardis", "hftbacktest"] as const;
export type ImportSource = (typeof importSources)[number];

/** Shells that have a completion script. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];
