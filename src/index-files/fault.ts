// Faults of an index file, each with its line, few enough to read.

import { countText } from "../kernel/text.ts";

/** All faults of a file, each a sentence that continues after the file's name; those of a line give its number, from 1. */
export class IndexFileError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}

export type LineFault = { readonly line: number; readonly message: string };

const LISTED_MAX = 20;
/** The rest is only counted. */
const KEPT_MAX = 1000;

export type LineFaults = {
  readonly add: (line: number, message: string) => void;
  readonly isEmpty: () => boolean;
  /** In the order of lines, and how many more there are. */
  readonly listed: () => readonly string[];
};

export function createLineFaults(): LineFaults {
  const kept: LineFault[] = [];
  let count = 0;
  return {
    add(line, message) {
      count += 1;
      if (kept.length < KEPT_MAX) kept.push({ line, message });
    },
    isEmpty: () => count === 0,
    listed() {
      const first = kept.toSorted((a, b) => a.line - b.line).slice(0, LISTED_MAX);
      const texts = first.map(({ line, message }) => `line ${line}: ${message}`);
      const more = count - first.length;
      return more > 0 ? [...texts, `and ${countText(more, "more line")} with faults`] : texts;
    },
  };
}
