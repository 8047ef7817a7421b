// The log: JSON lines for machines, sentences on a terminal. Secrets never reach it: callers name each fact that they log, and objects with
// a key do not print it.

import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { printable, printableLines } from "../../kernel/printable.ts";
import type { LogLevel } from "./log-level.ts";
import { createRecurring, type Recurring } from "./recurring.ts";

export type Log = Logger;

/** The log's output, whether it is a terminal, and the time. */
export type LogPorts = {
  readonly write: (text: string) => void;
  readonly terminal: boolean;
  readonly wallMs: () => number;
  /** Receives each line as JSON, in whatever form it is written. */
  readonly tap?: (line: string) => void;
};

/** Every line has `event`, a fixed word, and facts under names that end in their unit. */
export function createLog(level: LogLevel, ports: LogPorts): Log {
  const stream: DestinationStream = {
    write(line) {
      ports.write(ports.terminal ? `${printable(sentence(JSON.parse(line)))}\n` : printableLines(line));
      ports.tap?.(line);
    },
  };
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":${ports.wallMs()}`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      hooks: { logMethod: bounded(createRecurring(), ports.wallMs) },
      redact: { paths: ["*.key", "*.seed", "*.secret", "*.token"], censor: "[redacted]" },
    },
    stream,
  );
}

type LogMethod = NonNullable<NonNullable<LoggerOptions["hooks"]>["logMethod"]>;

/** Pino's number; warn and error are above it. */
const INFO = 30;

/** Keeps one line per minute of a recurring cause; the others only at level debug. */
function bounded({ leftOut }: Recurring, wallMs: () => number): LogMethod {
  return function logMethod(args, method, level) {
    const [facts, text] = args;
    if (level <= INFO || typeof facts !== "object" || facts === null) return method.apply(this, args);
    const count = leftOut(facts as Readonly<Record<string, unknown>>, wallMs());
    if (count === null) return this.debug(facts, text);
    if (count === 0) return method.apply(this, args);
    return method.apply(this, [{ ...facts, leftOut: count }, `${text ?? ""} (${count} more since the last such line)`]);
  };
}

/** An error as its message, code and causes: a stack does not help an operator, and no other field can leak a secret. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  const { code } = error as { code?: unknown };
  return {
    message: error.message.slice(0, 500),
    ...(typeof code === "string" ? { code } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

type Line = {
  readonly time: number;
  readonly level: string;
  readonly msg?: string;
  readonly err?: { message?: string };
};

const MARKS: Readonly<Record<string, string>> = { debug: "·", info: " ", warn: "!", error: "✗" };

/** One line for a person: time, a mark if it needs attention, the message, and the cause if the message lacks it. */
function sentence(line: Line): string {
  const time = new Date(line.time).toISOString().slice(11, 19);
  const said = line.msg ?? "";
  const cause = line.err?.message ?? "";
  const isSaid = said.includes(cause.replaceAll("\n", "; "));
  return `${time} ${MARKS[line.level] ?? " "} ${said}${isSaid ? "" : `: ${cause}`}`;
}
