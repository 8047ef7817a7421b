// Answers questions to the ledger in a thread of its own, one after the other, so that no reader of years of fills holds up the trading
// thread. The thread starts with the first question.

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { type Question, type QuestionKind, questionKinds, readQuestion } from "../../bot/report/question.ts";
import { type HttpAnswer, type HttpRequest, json, type Routes } from "../../bot/telemetry/http.ts";
import type { Host, Thread } from "../../host/host.ts";
import { messageOf } from "../../kernel/errors.ts";

/** A ledger of years takes seconds. */
const ANSWER_MS_MAX = 30_000;
/** Further questions are refused at once. */
const WAITING_MAX = 8;
/** Enough for the rows of a full ledger. */
const MEMORY_MB = 512;

type ThreadData = { readonly ledger: { readonly file: string; readonly paper: readonly string[] } };
type Asked = { readonly question: Question; readonly nowMs: number };
type Answer = { readonly answer: object } | { readonly fault: string };

export type LedgerQuestions = { readonly routes: Routes; readonly close: () => void };

/** Routes that answer from the ledger in `file`. `paper`: accounts whose orders are simulated. */
export function ledgerQuestions(
  file: string,
  paper: readonly string[],
  { clock, startThread }: Pick<Host, "clock" | "startThread">,
): LedgerQuestions {
  let thread: Thread | null = null;
  /** Takes the answer to the question that the thread works on. */
  let take = (_: Answer): void => {};
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const end = (): void => {
    void thread?.terminate();
    thread = null;
  };
  const fail = (fault: string): void => {
    end();
    take({ fault });
  };
  const start = (): Thread => {
    const data: ThreadData = { ledger: { file, paper } };
    const started = startThread(new URL(import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // Messages of a thread that is being terminated are ignored.
    started.on("message", (answer: Answer) => started === thread && take(answer));
    started.on("error", (error: Error) => started === thread && fail(messageOf(error)));
    started.unref();
    return started;
  };
  const ask = (question: Question): Promise<Answer> => {
    thread ??= start();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    take = resolve;
    const timer = clock.after(ANSWER_MS_MAX, () => fail(`no answer within ${ANSWER_MS_MAX / 1000} s; ask for less`));
    thread.postMessage({ question, nowMs: clock.wallMs() } satisfies Asked);
    return promise.finally(() => timer.cancel());
  };
  const answered = async (kind: QuestionKind, { query }: HttpRequest): Promise<HttpAnswer> => {
    const question = readQuestion(kind, query);
    if (typeof question === "string") return json(400, { error: question });
    if (waiting >= WAITING_MAX) return json(503, { error: "too many questions to the ledger wait: ask again later" });
    waiting += 1;
    const next = last.then(() => ask(question)).catch((error: unknown): Answer => ({ fault: messageOf(error) }));
    last = next;
    const answer = await next;
    waiting -= 1;
    return "fault" in answer ? json(503, { error: `the ledger: ${answer.fault}` }) : json(200, answer.answer);
  };
  return {
    routes: new Map(questionKinds.map((kind) => [`GET /${kind}.json`, (request) => answered(kind, request)])),
    close: end,
  };
}

/** In the thread. */
async function serve({ file, paper }: ThreadData["ledger"]): Promise<void> {
  const [{ readSqlite }, { answerOf }] = await Promise.all([
    import("../../bot/ledger/sqlite/sqlite.ts"),
    import("../../bot/report/question.ts"),
  ]);
  parentPort?.on("message", ({ question, nowMs }: Asked) => {
    let reading: ReturnType<typeof readSqlite> | undefined;
    try {
      reading = readSqlite(file);
      const answer = answerOf(question, reading.whole ?? reading.read, { nowMs, paper });
      parentPort?.postMessage({ answer } satisfies Answer);
    } catch (error) {
      // A damaged file can make SQLite throw any error.
      parentPort?.postMessage({ fault: messageOf(error) } satisfies Answer);
    } finally {
      reading?.close();
    }
  });
}

if (!isMainThread) {
  const { ledger } = (workerData ?? {}) as Partial<ThreadData>;
  if (ledger !== undefined) void serve(ledger);
}
