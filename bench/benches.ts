// Every bench, in the order of the table.

import { backtest, backtestDaily } from "./backtest.ts";
import { backtestQueue } from "./backtest-queue.ts";
import { clearing } from "./clearing.ts";
import { devnetHttp } from "./devnet-http.ts";
import { directExchange } from "./direct-exchange.ts";
import { eventToSend } from "./event-to-send.ts";
import { jointBook } from "./joint-book.ts";
import { journal } from "./journal.ts";
import { matching } from "./matching.ts";
import type { Bench } from "./measure.ts";
import { nextPrint } from "./next-print.ts";
import { papers } from "./papers.ts";
import { printGuard } from "./print-guard.ts";
import { backtestRecording, readRecording, record, replay } from "./record.ts";
import { recovery } from "./recovery.ts";
import { scale } from "./scale.ts";
import { screenDaily, screenDemo } from "./screen.ts";
import { simulation } from "./simulation.ts";
import { start } from "./start.ts";
import { turn } from "./turn.ts";
import { writeBehind } from "./write-behind.ts";

export const benches: readonly Bench[] = [
  matching,
  clearing,
  devnetHttp,
  directExchange,
  eventToSend,
  writeBehind,
  turn,
  papers,
  nextPrint,
  printGuard,
  jointBook,
  journal,
  record,
  readRecording,
  replay,
  recovery,
  start,
  scale,
  simulation,
  backtest,
  backtestDaily,
  backtestRecording,
  backtestQueue,
  screenDemo,
  screenDaily,
];
