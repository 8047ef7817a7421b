// A mutant: the product with one stretch of one file replaced by something wrong. The tests must notice.

import { type Node, type Source, textOf } from "./source.ts";

export type Mutant = {
  /** What it is about: a gate, a limit or a latch by its kind and id; elsewhere the function. */
  readonly subject: string;
  /** What is wrong now, in a few words or as text before and after. */
  readonly what: string;
  readonly file: string;
  /** The stretch that is replaced, and by what. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Test files to try first, when they are others than those of the guard. */
  readonly tests?: readonly string[];
};

/** Names a mutant for good: where it is by names, not by lines, so that it keeps its name while the file moves. */
export const nameOfMutant = ({ subject, what, file }: Mutant): string => `${subject} (${file}): ${what}`;

/** Replaces a node; `what` is the text before and after unless it is said. */
export function replaced(source: Source, node: Node, text: string, subject: string, what?: string): Mutant {
  const shown = oneLine(what ?? `\`${textOf(source, node)}\` → \`${text}\``);
  return { subject, what: shown, file: source.file, start: node.start, end: node.end, text };
}

/** The text of the file with the mutant in it. */
export const mutated = (text: string, { start, end, text: wrong }: Mutant): string =>
  `${text.slice(0, start)}${wrong}${text.slice(end)}`;

/** Names that occur twice get a number, in the order of the file, so that each is one. */
export function numbered(mutants: readonly Mutant[]): readonly Mutant[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const name = nameOfMutant(mutant);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? mutant : { ...mutant, what: `${mutant.what} (${count})` };
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
