// What an agent may ask: each tool is one request to the daemon, by the same routes that the page and the commands use.

import { z } from "zod";
import type { SideLine, Status } from "../../bot/dashboard/status.ts";
import { requestOf } from "../../bot/service/operator/params.ts";
import type { DaemonAnswer } from "../../daemon/running/ask-daemon.ts";

export type Asking = {
  readonly get: (path: string) => Promise<DaemonAnswer>;
  readonly post: (path: string, body: Readonly<Record<string, unknown>>) => Promise<DaemonAnswer>;
};

type Given = Readonly<Record<string, unknown>>;

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodRawShape;
  readonly readOnly: boolean;
  readonly run: (given: Given, asking: Asking) => Promise<DaemonAnswer>;
};

const time = (what: string) => z.string().optional().describe(`${what}: a date or time of ISO 8601, UTC`);
const market = z.number().int().min(0).max(65_535).optional().describe("only this market's id");
const account = z
  .string()
  .regex(/^\d{1,20}$/)
  .optional()
  .describe("only this account's id");
const within = { from: time("from"), to: time("before"), market };
const change = {
  path: z
    .string()
    .max(200)
    .describe("accounts.ID.markets.ID.params.NAME, accounts.ID.markets.ID.limits.NAME or accounts.ID.limits.NAME"),
  value: z
    .union([z.number(), z.string(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .describe("the new value, as the configuration's file has it"),
};

const reading = (
  name: string,
  description: string,
  input: z.ZodRawShape,
  run: (given: Given, asking: Asking) => Promise<DaemonAnswer>,
): Tool => ({ name, description, input, readOnly: true, run });

export const readTools: readonly Tool[] = [
  reading(
    "status",
    "The daemon now: accounts, positions, orders, quotes, gates, halts, PnL, open proposals",
    {},
    (_, { get }) => statusOf(get, agentStatus),
  ),
  reading(
    "trades",
    "Fills from the ledger, oldest first; the newest 100 unless limit says otherwise",
    { ...within, limit: z.number().int().min(1).max(1000).default(100).describe("the newest rows") },
    (given, { get }) => get(`/trades.json${queryOf(given)}`),
  ),
  reading(
    "pnl",
    "PnL by period, account, market and source, valued at the print and at the mid; USDC",
    { ...within, by: z.enum(["day", "week", "month"]).default("day") },
    (given, { get }) => get(`/pnl.json${queryOf(given)}`),
  ),
  reading(
    "risk",
    "What would be lost now: print gaps, funding at its cap, a late print, value at risk",
    {},
    (_, { get }) => get("/risk.json"),
  ),
  reading(
    "whyNotQuoting",
    "Why a side of a market is not quoted: causes, closed gates, halts",
    { account, market },
    (given, { get }) => statusOf(get, (status) => causesOf(status, given)),
  ),
  reading(
    "previewChange",
    "What the daemon would do with another parameter or limit: orders kept, moved, canceled, placed. Changes nothing",
    change,
    ({ path, value }, { post }) => preview(path, value, post),
  ),
  reading("report", "A period from the ledger: PnL, markouts, time quoted, halts, changes", within, (given, { get }) =>
    get(`/report.json${queryOf(given)}`),
  ),
];

export const proposeTool: Tool = {
  name: "propose",
  description:
    "Proposes another parameter or a tighter limit. It changes nothing until a person approves it within ten minutes. Returns the proposal's id",
  input: { ...change, reason: z.string().min(1).max(200).describe("why, for the person who decides") },
  readOnly: false,
  run: ({ path, value, reason }, { post }) => post("/proposals", { path, value, reason }),
};

function queryOf(given: Given): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) if (value !== undefined) query.set(key, String(value));
  return query.size === 0 ? "" : `?${query}`;
}

async function statusOf(get: Asking["get"], shown: (status: Status) => object): Promise<DaemonAnswer> {
  const answer = await get("/status.json");
  return answer.kind === "done" ? { kind: "done", body: shown(answer.body as Status) } : answer;
}

/** The command that prints the administrator's token is for people. */
const agentStatus = ({ tokenCommand: _, ...status }: Status): object => status;

function causesOf({ phase, reasons, accounts }: Status, { account: wanted, market: of }: Given): object {
  const side = ({ quoting, reason, sentence }: SideLine) => ({ quoting, cause: reason, sentence });
  return {
    phase,
    reasons,
    markets: accounts
      .filter(({ accountId }) => wanted === undefined || accountId === wanted)
      .flatMap(({ accountId, latches, markets }) =>
        markets
          .filter(({ marketId }) => of === undefined || marketId === of)
          .map(({ marketId, name, state, buy, sell, gates, quotesReason }) => ({
            accountId,
            marketId,
            name,
            state,
            bid: side(buy),
            ask: side(sell),
            closedGates: gates.filter(({ open }) => !open),
            latches,
            quotesReason,
          })),
      ),
  };
}

async function preview(path: unknown, value: unknown, post: Asking["post"]): Promise<DaemonAnswer> {
  const request = requestOf(String(path), value, "a preview");
  if ("kind" in request) return { kind: "refused", httpStatus: 400, why: request.why };
  const { accountId, marketId, params, limits } = request;
  const ofMarket = marketId === null ? {} : { market: marketId };
  return post("/preview", { account: `${accountId}`, ...ofMarket, params, limits });
}
