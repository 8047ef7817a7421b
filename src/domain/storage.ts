// What keeps the ledger from being written, as the guard, the log and the page tell it.

/**
 * `full`: no room on the disk, or within the ledger's limit; `held`: another program holds the file; `moved`: it, or one of the files beside
 * it, no longer lies where it was opened; `failed`: anything else that the system says.
 */
export type StorageFault = "full" | "held" | "moved" | "failed";

export const storageTexts: Readonly<Record<StorageFault, string>> = {
  full: "the ledger cannot be written: its disk is full",
  held: "the ledger cannot be written: another program holds it",
  moved: "the ledger's file was deleted or replaced: nothing that is written lasts; stop the daemon and start it again",
  failed: "the ledger cannot be written",
};
