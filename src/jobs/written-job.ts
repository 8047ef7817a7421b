// A job on its way to another machine and its end on the way back, as text: what a database makes of JSON (another order of keys) must not
// reach the result.

import type { StoredText } from "./text-store.ts";

/** How jobs of one kind become text, and how their ends are read. */
export type JobKind<Job, End> = {
  readonly name: string;
  /** `reads`: long texts that many jobs share. They travel beside the job, each once. */
  readonly write: (job: Job) => { readonly text: string; readonly reads: readonly StoredText[] };
  readonly readEnd: (text: string) => End;
};

/** What a worker's thread carries out. */
export type QueuedJob = {
  readonly kind: string;
  readonly text: string;
  /** By hash. */
  readonly texts: ReadonlyMap<string, string>;
};

/** A job without the texts that it reads. */
export type WrittenJob = Omit<QueuedJob, "texts"> & { readonly hashes: readonly string[] };

/** `error`: what the job was refused or broken by, the same wherever it runs. */
export type JobEnd = { readonly end: string } | { readonly error: string };

export const jobText = (job: WrittenJob): string => JSON.stringify(job);
/** Reads what `jobText` wrote. Anybody with the database may have written the row: throws Error for every other text. */
export function readJob(text: string): WrittenJob {
  const { kind, text: own, hashes } = objectIn(text);
  const isJob = isText(kind) && isText(own) && Array.isArray(hashes) && hashes.every(isText);
  if (!isJob) throw new Error("the row in the queue is no job of this program");
  return { kind, text: own, hashes };
}

export const endText = (end: JobEnd): string => JSON.stringify(end);
/** Reads what `endText` wrote. Throws Error for every other text. */
export function readEnd(text: string): JobEnd {
  const { end, error } = objectIn(text);
  if (isText(end)) return { end };
  if (isText(error)) return { error };
  throw new Error("the end in the queue is of no worker of this program");
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Empty where the text is something else. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
