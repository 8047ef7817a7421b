// Encodes the lines of a recording as bytes. Inputs and decisions are separate, so that a reader of events can skip the decisions.

import type { Instant } from "../../kernel/clock.ts";
import type { Decided, Entry } from "./entry.ts";
import type { END, FileBegin } from "./format.ts";
import { EXPECTED_MAX, ValueReader, ValueWriter } from "./values.ts";

export type Line = FileBegin | Entry | typeof END;

/** Flags at the start of a line. */
const ENTRY = 1;
const HAS_DECISIONS = 2;
/** The clocks are too fine for whole numbers. */
const IS_FINE = 4;

/** Levels of an entry that are almost never repeated: the entry and its event. */
const OWN_DEPTH = 2;
const LENGTH_BYTES = 4;
const MICROS = 1000;

export class LineWriter {
  readonly #told = new ValueWriter();
  readonly #decided = new ValueWriter();
  #wallMs = 0;
  #micros = 0;

  /** Bytes of the lines since the last `take`. */
  get length(): number {
    return this.#told.length + this.#decided.length;
  }

  add(line: Line): void {
    if ("instant" in line) this.#entry(line);
    else {
      this.#told.integer(0);
      this.#told.value(line, OWN_DEPTH);
    }
  }

  /** The lines since the last `take`. */
  take(): Buffer {
    const [told, decided] = [this.#told.take(), this.#decided.take()];
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(told.length);
    return Buffer.concat([length, told, decided]);
  }

  #entry({ instant, decided, digest, ...told }: Entry): void {
    const hasDecisions = decided !== undefined || digest !== undefined;
    const { monotonicMs, wallMs } = instant;
    const micros = Math.round(monotonicMs * MICROS);
    const isFine = micros / MICROS !== monotonicMs || !isExact(micros) || !isExact(MICROS * wallMs);
    this.#told.integer(ENTRY + (hasDecisions ? HAS_DECISIONS : 0) + (isFine ? IS_FINE : 0));
    if (isFine) {
      this.#told.double(wallMs);
      this.#told.double(monotonicMs);
    } else {
      const passedMs = wallMs - this.#wallMs;
      this.#told.integer(passedMs);
      // Both clocks advance equally, except for less than a millisecond.
      this.#told.integer(micros - this.#micros - MICROS * passedMs);
      [this.#wallMs, this.#micros] = [wallMs, micros];
    }
    this.#told.value(told, OWN_DEPTH, expectedAt(monotonicMs));
    if (!hasDecisions) return;
    this.#decided.value(decided ?? null, 1);
    this.#decided.integer(digest ?? -1);
  }
}

export class LineReader {
  readonly #told = new ValueReader();
  readonly #decided: ValueReader | null;
  #wallMs = 0;
  #micros = 0;

  /** `withDecisions` false: entries come without decisions. */
  constructor({ withDecisions }: { readonly withDecisions: boolean }) {
    this.#decided = withDecisions ? new ValueReader() : null;
  }

  /** The lines of the next `take`. Throws RangeError if the bytes have other content. */
  read(bytes: Buffer): readonly Line[] {
    const decidedAt = LENGTH_BYTES + bytes.readUInt32LE(0);
    this.#told.read(bytes.subarray(LENGTH_BYTES, decidedAt));
    this.#decided?.read(bytes.subarray(decidedAt));
    const lines: Line[] = [];
    while (!this.#told.isAtEnd) lines.push(this.#line());
    return lines;
  }

  #line(): Line {
    const bits = this.#told.integer();
    if (bits === 0) return this.#told.value() as Line;
    const instant = this.#instant((bits & IS_FINE) !== 0);
    const entry = this.#told.value(expectedAt(instant.monotonicMs)) as Mutable<Entry>;
    entry.instant = instant;
    if (this.#decided === null || (bits & HAS_DECISIONS) === 0) return entry;
    const decided = this.#decided.value() as Decided | null;
    const digest = this.#decided.integer();
    if (decided !== null) entry.decided = decided;
    if (digest >= 0) entry.digest = digest;
    return entry;
  }

  #instant(isFine: boolean): Instant {
    if (isFine) {
      const wallMs = this.#told.double();
      return { monotonicMs: this.#told.double(), wallMs };
    }
    const passedMs = this.#told.integer();
    this.#wallMs += passedMs;
    this.#micros += this.#told.integer() + MICROS * passedMs;
    return { monotonicMs: this.#micros / MICROS, wallMs: this.#wallMs };
  }
}

/** Events are received shortly before the machine takes them. */
const expectedAt = (monotonicMs: number): number => (Math.abs(monotonicMs) < EXPECTED_MAX ? monotonicMs : 0);

/** Calculations with such values are exact. */
const isExact = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 51;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
