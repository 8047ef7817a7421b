// The levels of the log, apart from the log itself: reading a configuration needs their names and not the library that writes.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
