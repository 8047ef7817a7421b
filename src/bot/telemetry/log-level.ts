// The log levels, separate from the log: reading a configuration needs their names but not the logging library.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
