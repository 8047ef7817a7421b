// Why the ledger cannot be written, for the guard, the log and the page.

/**
 * `full`: no room on the disk, or within the ledger's limit; `held`: another program uses the file; `moved`: the file, or one of its
 * companion files, is no longer where it was opened; `failed`: any other system error.
 */
export type StorageFault = "full" | "held" | "moved" | "failed";

export const storageTexts: Readonly<Record<StorageFault, string>> = {
  full: "the ledger cannot be written: its disk is full",
  held: "the ledger cannot be written: another program holds it",
  moved: "the ledger's file was deleted or replaced: nothing that is written lasts; stop the daemon and start it again",
  failed: "the ledger cannot be written",
};
