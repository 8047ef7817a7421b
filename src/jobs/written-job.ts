// A job and its result as text for transfer between machines: a database may change JSON (such as the order of keys), which must not affect
// the result.

import type { StoredText } from "./text-store.ts";

/** Converts jobs of one kind to text, and reads their results. */
export type JobKind<Job, End> = {
  readonly name: string;
  /** `reads`: long texts that many jobs share. Each is sent once, separately from the job. */
  readonly write: (job: Job) => { readonly text: string; readonly reads: readonly StoredText[] };
  readonly readEnd: (text: string) => End;
};

/** The job of a worker's thread. */
export type QueuedJob = {
  readonly kind: string;
  readonly text: string;
  /** By hash. */
  readonly texts: ReadonlyMap<string, string>;
};

/** A job without the texts that it reads. */
export type WrittenJob = Omit<QueuedJob, "texts"> & { readonly hashes: readonly string[] };

/** `error`: why the job was refused or failed, the same on every machine. */
export type JobEnd = { readonly end: string } | { readonly error: string };

export const jobText = (job: WrittenJob): string => JSON.stringify(job);
/** Reads the text of `jobText`. Throws Error for any other text, because anyone with the database may have written the row. */
export function readJob(text: string): WrittenJob {
  const { kind, text: own, hashes } = objectIn(text);
  const isJob = isText(kind) && isText(own) && Array.isArray(hashes) && hashes.every(isText);
  if (!isJob) throw new Error("the row in the queue is no job of this program");
  return { kind, text: own, hashes };
}

export const endText = (end: JobEnd): string => JSON.stringify(end);
/** Reads the text of `endText`. Throws Error for any other text. */
export function readEnd(text: string): JobEnd {
  const { end, error } = objectIn(text);
  if (isText(end)) return { end };
  if (isText(error)) return { error };
  throw new Error("the end in the queue is of no worker of this program");
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Empty if the text is not an object. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
