// The machine's messages for log, webhook and page; one place formats them.

/** `facts` carry `event`, a fixed word, and facts under names that end in their unit. */
export type Notice = {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly facts: { readonly event: string } & Readonly<Record<string, unknown>>;
  readonly text: string;
};

export type Say = { readonly [Level in Notice["level"]]: (facts: Notice["facts"], text: string) => void };

export function sayTo(take: (notice: Notice) => void): Say {
  const at =
    (level: Notice["level"]) =>
    (facts: Notice["facts"], text: string): void =>
      take({ level, facts, text });
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
