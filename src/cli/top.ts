// `quoin top`: shows a running daemon live on the terminal. Without a terminal it prints one picture and ends.

import { askStatus, findDaemon } from "../daemon/running/ask-daemon.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";
import { sleep } from "../kernel/clock.ts";
import { readForEmergency } from "./read-config.ts";
import { frameOf } from "./top/frame.ts";

const EVERY_MS = 1000;
const COLUMNS = 80;
/** Switches to the terminal's alternate screen without a cursor, and back. */
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/** Exit 1 when stdout is no terminal and no daemon answers. */
export async function top(options: { readonly config: string }, host: Host): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const daemon = await findDaemon(config, host);
  const { screen, terminal, clock } = host;
  if (!terminal.stdout) {
    const status = await askStatus(daemon);
    for (const line of frameOf(status, daemon.url, { columns: COLUMNS, color: false, config: config.file }))
      host.stdout(`${line}\n`);
    return status === undefined ? EXIT_FAILED : EXIT_DONE;
  }
  let isOver = false;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const stop = (): void => {
    isOver = true;
    end();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) host.onSignal(signal, stop);
  const unlisten = screen.onKey((key) => {
    if (key === "q" || key === "\u0003") stop();
  });
  const draw = (text: string): void => host.stdout(Buffer.from(text));
  draw(ENTER);
  try {
    while (!isOver) {
      const status = await askStatus(daemon);
      const { columns, rows } = screen.size();
      const lines = frameOf(status, daemon.url, { columns, color: screen.color, config: config.file }).slice(
        0,
        rows - 1,
      );
      draw(`${HOME}${lines.map((line) => `${line}${CLEAR_LINE}\r\n`).join("")}${CLEAR_BELOW}`);
      await Promise.race([sleep(clock, EVERY_MS), over]);
    }
  } finally {
    unlisten();
    draw(LEAVE);
  }
  return EXIT_DONE;
}
