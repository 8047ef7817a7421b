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
/** What `jobText` wrote. */
export const readJob = (text: string): WrittenJob => JSON.parse(text) as WrittenJob;

export const endText = (end: JobEnd): string => JSON.stringify(end);
/** What `endText` wrote. */
export const readEnd = (text: string): JobEnd => JSON.parse(text) as JobEnd;
