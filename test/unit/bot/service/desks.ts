// The machine over real desks, with its driver, over a ledger in memory whose disk can be made to fail.

import type { BotState } from "../../../../src/bot/account/account-state.ts";
import type { BotConfig, QuotedAccount, QuotedMarket } from "../../../../src/bot/config/config.ts";
import type { AccountDesk } from "../../../../src/bot/decider/desks/account-desk.ts";
import { makeDesks, type StartCauses } from "../../../../src/bot/decider/desks/desks.ts";
import type { MarketDesk } from "../../../../src/bot/decider/desks/market-desk.ts";
import type { Input, InputBody, Listed, Readings } from "../../../../src/bot/decider/input.ts";
import type { Output, Request } from "../../../../src/bot/decider/output.ts";
import { Machine } from "../../../../src/bot/decider/step.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { type CarryOutModules, carryOut } from "../../../../src/bot/live/carry-out.ts";
import { Driver, type Wanted } from "../../../../src/bot/live/driver.ts";
import { createReadings } from "../../../../src/bot/live/readings.ts";
import { heldSinceMs } from "../../../../src/bot/risk/latches.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { loadStrategy } from "../../../../src/bot/strategy/loader.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import { loopTiming } from "../../../../src/bot/timing.ts";
import type { Account } from "../../../../src/domain/account.ts";
import { unknownDialect } from "../../../../src/domain/dialect.ts";
import type { SubmitOutcome, VenueEvent } from "../../../../src/domain/event.ts";
import type { Latch } from "../../../../src/domain/latch.ts";
import { type AccountId, accountId, type Nonce, nonce, usdc } from "../../../../src/domain/units.ts";
import { type Clock, instantOf, systemClock } from "../../../../src/kernel/clock.ts";
import type { Facts } from "../../../../src/kernel/errors.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import {
  AGENT,
  account as accountAs,
  book,
  CHAIN_OFFSET_MS,
  executedWith,
  feeTier,
  funding,
  type Loose,
  makeReady,
  market,
  oracle,
  placedEvent,
} from "../scene.ts";

export const account = accountId(12n);
export const other = accountId(13n);
export const CHAIN = "venue-v4:devnet:chain-2";

const strategy = await loadStrategy("fixed-spread", { halfSpreadBps: 10, size: 1, levels: 1, stepBps: 5 });

export const MARKET_LIMITS = {
  maxPosition: 20,
  maxOrderSize: 2,
  maxOpenOrders: 20,
  maxLoss: 500,
  maxPrintMoveBps: 1000,
};

export const quotedMarket = (marketId: number): QuotedMarket => ({
  marketId,
  strategy,
  premiumBook: null,
  signals: [],
  printSchedule: null,
  shadow: null,
  requoteDepths: 0.5,
  queueTicks: 0,
  limits: marketLimitsSchema.parse(MARKET_LIMITS),
  hash: "0123456789ab",
});

export const quotedAccount = (id: AccountId, markets: readonly number[]): QuotedAccount => ({
  accountId: id,
  paper: null,
  agentKeyFile: null,
  formerKeyFiles: [],
  watchdogKeyFile: null,
  foreignOrders: "keep",
  maxAwayLossRatio: 0.5,
  limits: accountLimitsSchema.parse({}),
  markets: markets.map(quotedMarket),
});

export const botConfig = (accounts: readonly QuotedAccount[]): BotConfig => ({
  file: "/etc/quoin/bot.yaml",
  venue: {
    kind: "embedded",
    chainId: CHAIN,
    live: false,
    tooManyRequestsMeans: "rejected",
    landingBoundMs: 90_000,
    readLagMaxMs: 3000,
    dialect: unknownDialect,
  },
  accounts,
  server: { host: "127.0.0.1", port: 0, tokenFile: null, requireTokenForReads: false, hosts: [] },
  watchdog: { silenceMs: 10_000, pollMs: 250, daemonUrl: null, host: "127.0.0.1", port: null },
  ledger: { file: null, archiveAfterDays: 7, maxBytes: 2 ** 30 },
  fleet: null,
  log: { level: "info" },
  settings: [],
  recording: null,
  signals: [],
  webhook: null,
  hash: "one",
});

/** A process that may die and start over on the same disk. */
abstract class Process {
  failure: string | null = null;
  readonly disk = new MemoryDisk({ failing: () => this.failure, flush: () => Promise.resolve() });
  readonly lines: string[] = [];
  isElsewhere = false;
  keysElsewhere: ReadonlySet<AccountId> = new Set();
  /** Why there is no nonce for a new order. */
  nonceRefusal: Facts | null = null;
  ledger!: Ledger;
  abstract get desks(): Map<AccountId, AccountDesk>;

  /** What was committed is there, and nothing else. Records and notices go to the new ledger and the log. */
  protected begin(clock: Clock, accounts: readonly QuotedAccount[]) {
    this.disk.killProcess();
    const ledger = new Ledger({}, { engine: this.disk.open(), clock });
    this.ledger = ledger;
    const key = Object.defineProperty({ nonceRefusal: null }, "nonceRefusal", { get: () => this.nonceRefusal });
    const executions = new Map(accounts.map(({ accountId: id }) => [id, key]));
    const [isElsewhere, keysElsewhere] = [() => this.isElsewhere, () => this.keysElsewhere];
    const readings = createReadings({ ledger, executions, isElsewhere, keysElsewhere });
    const write = (line: string): void => void this.lines.push(line);
    const log = createLog("info", { write, terminal: false, wallMs: clock.wallMs });
    return {
      readings,
      log,
      write: carryOut({ ledger, log, clock, series: { count: () => {} } } as unknown as CarryOutModules),
    };
  }

  desk(id: AccountId = account): AccountDesk {
    const desk = this.desks.get(id);
    if (desk === undefined) throw new RangeError(`no desk ${id}`);
    return desk;
  }

  market(id = 1, of: AccountId = account): MarketDesk {
    const market = this.desk(of).markets.get(id);
    if (market === undefined) throw new RangeError(`account ${of} does not quote market ${id}`);
    return market;
  }
}

/** The first account with these markets, and the other one. */
const accountsWith = (
  markets: readonly number[],
  changes: Partial<QuotedMarket>,
  ofAccount: Partial<QuotedAccount> = {},
): readonly QuotedAccount[] => [
  {
    ...quotedAccount(account, []),
    ...ofAccount,
    markets: markets.map((id) => ({ ...quotedMarket(id), ...changes })),
  },
  quotedAccount(other, [1]),
];

export type Submit = Extract<Wanted, { readonly kind: "submit" }>;
export type Read = Extract<Wanted, { readonly kind: "read" }>;

/** Its number, unless another is asked for. */
const nonceOf = ({ submit, by }: Submit): Nonce => by?.nonce ?? nonce(BigInt(submit));

/** What a healthy exchange says to a read; nothing rests and nothing is held but what the account is `shown` with. */
function factOf(request: Request, shown: Partial<Account>): Loose | Listed {
  if ("accountId" in request) {
    const said = accountAs({ accountId: request.accountId, ...shown });
    const rateLimit = { requestsUsed: 0n, requestsCap: 10_000n, requestsRemaining: 10_000n };
    const facts = {
      account: { kind: "accountRead", account: said },
      orders: { kind: "ordersRead", accountId: request.accountId, orders: said },
      rateLimit: { kind: "rateLimitRead", accountId: request.accountId, rateLimit },
      ordersAlone: { of: "orders", list: said },
      positions: { of: "positions", list: said },
    } as const;
    return facts[request.kind];
  }
  if (!("marketId" in request)) {
    const facts = {
      feeTiers: { kind: "feeTiersRead", feeTiers: [feeTier] },
      openOrderCap: { kind: "openOrderCapRead", openOrderCap: 200 },
    } as const;
    return facts[request.kind];
  }
  const { marketId } = request;
  const facts = {
    market: { kind: "marketRead", market: market({ marketId }) },
    oracle: { kind: "oracleRead", oracle: oracle({ marketId }) },
    oracleHistory: { kind: "oracleHistoryRead", history: { marketId, prices: [] } },
    book: { kind: "bookRead", book: { ...book(), marketId } },
    funding: { kind: "fundingRead", funding: funding({ marketId }) },
    trades: { kind: "tradesRead", marketId, trades: [] },
  } as const;
  return facts[request.kind];
}

/** Desks alone, on which tests act themselves: what they want written is written at once. */
export class Desks extends Process {
  desks!: Map<AccountId, AccountDesk>;

  constructor() {
    super();
    this.start();
  }

  /** `changes`: of every market of the first account. */
  start(causes: StartCauses = {}, markets: readonly number[] = [1, 2], changes: Partial<QuotedMarket> = {}): void {
    const accounts = accountsWith(markets, changes);
    const { readings, log, write } = this.begin(systemClock, accounts);
    this.desks = makeDesks(accounts, causes, {
      ...{ readings, log, kept: this.ledger.read, chainId: "chain-2", clock: systemClock },
      prng: createPrng(1n),
      put: () => {},
      keep: (record) => write({ kind: "record", record }),
    });
  }
}

/** The machine over desks, its driver, and virtual time. What it submits counts as sent, and nothing is answered. */
export class World extends Process {
  readonly time: VirtualClock;
  /** How far the machine's clocks are ahead of `time`. */
  readonly aheadMs = { wall: 0, monotonic: 0 };
  readonly clock: Clock;
  /** What was carried out beside records and notices, in order, and the inputs with what came of each. */
  readonly wanted: Wanted[] = [];
  readonly steps: { readonly input: Input; readonly outputs: readonly Output[] }[] = [];
  machine!: Machine;
  driver!: Driver;
  #readings!: () => Readings;

  constructor(time: VirtualClock = createVirtualClock({ startMs: CHAIN_OFFSET_MS })) {
    super();
    this.time = time;
    this.clock = {
      ...time,
      wallMs: () => time.wallMs() + this.aheadMs.wall,
      monotonicMs: () => time.monotonicMs() + this.aheadMs.monotonic,
    };
    this.start();
  }

  /** `changes`: of every market of the first account; `ofAccount`: of that account. */
  start(
    causes: StartCauses = {},
    markets: readonly number[] = [1, 2],
    changes: Partial<QuotedMarket> = {},
    ofAccount: Partial<QuotedAccount> = {},
  ): void {
    const accounts = accountsWith(markets, changes, ofAccount);
    const { clock, steps } = this;
    const { readings, write } = this.begin(clock, accounts);
    this.#readings = readings;
    const options = {
      ...{ accounts, causes, chainId: "chain-2", readLagMaxMs: 3000, landingBoundMs: 90_000, isSending: true },
      publicKeys: new Map(accounts.map(({ accountId: id }) => [id, AGENT])),
      ...{ earlierHolders: [], watchdogSilenceMs: 10_000 },
    };
    const begun = { instant: instantOf(clock), readings: readings() };
    const modules = { prng: createPrng(1n) };
    this.machine = new Machine(options, begun, this.ledger.read, modules);
    const record = (input: Input, outputs: readonly Output[]): void => void steps.push({ input, outputs });
    this.driver = new Driver({ machine: this.machine, clock, readings, onTurned: () => {}, record });
    this.driver.connect((wanted) => {
      if (wanted.kind === "record" || wanted.kind === "notice") write(wanted);
      else {
        this.wanted.push(wanted);
        this.carryOut(wanted);
      }
    });
  }

  /** A test may do it otherwise. */
  carryOut: (wanted: Wanted) => void = (wanted) => {
    if (wanted.kind === "submit") this.tell({ kind: "sent", nonce: nonceOf(wanted), command: wanted.command });
  };

  /** One step of the machine without its driver: nothing is carried out. */
  step(body: InputBody, mayTurn = true): readonly Output[] {
    return this.machine.step({ ...body, instant: instantOf(this.clock), readings: this.#readings(), mayTurn });
  }

  /** An event of now; a read was asked for 1 ms before. */
  tell(event: Loose): void {
    this.driver.fold(this.eventOf(event));
  }

  eventOf(event: Loose): VenueEvent {
    const nowMs = this.clock.monotonicMs();
    return { receivedMs: nowMs, askedMs: nowMs - 1, ...event } as VenueEvent;
  }

  get desks(): Map<AccountId, AccountDesk> {
    return this.machine.desks;
  }

  get state(): BotState {
    return this.machine.state;
  }

  /** What an operator's call acts on. */
  get operated() {
    const { desks, driver, ledger } = this;
    const since = (latch: Latch): number | null => heldSinceMs(ledger.read.trail().latches, latch);
    return { chainId: CHAIN, desks, driver, ledger, heldSinceMs: since };
  }

  /** A tick of the timer, at its time. */
  tick(): void {
    this.advance(loopTiming.tickMs);
    this.driver.feed({ kind: "tick" });
  }

  /** The last answer to a submit. */
  answer(wanted: Submit, outcome: SubmitOutcome): void {
    const { submit, command } = wanted;
    const event = this.eventOf({ kind: "answered", nonce: nonceOf(wanted), command, outcome });
    const timestampSec = Math.floor(this.clock.wallMs() / 1000);
    const as = { signer: AGENT, timestampSec, intentId: submit, hasOtherTime: false };
    this.driver.feed({ kind: "event", event, submitted: { submit, nonce: nonceOf(wanted), ...as } });
  }

  /** The exchange answers what was read, an account as `shown`. */
  answerReads(shown: Partial<Account> = {}): void {
    for (const wanted of this.taken("read")) this.driver.feed(this.readAnswer(wanted, shown));
  }

  /** What it says to one read. */
  readAnswer({ read, request }: Read, shown: Partial<Account> = {}): InputBody {
    const fact = factOf(request, shown);
    return "of" in fact ? { kind: "listed", read, listed: fact } : { kind: "event", read, event: this.eventOf(fact) };
  }

  /** The exchange executes what was submitted and not answered: what is placed rests under the number of its submit. */
  land(): void {
    for (const wanted of this.taken("submit")) {
      const { accountId: id, submit, command } = wanted;
      const events = command.kind === "place" ? [placedEvent(BigInt(submit), { ...command, accountId: id })] : [];
      this.answer(wanted, executedWith(...events));
    }
  }

  /** What is wanted of a kind, and is no longer after that. */
  taken<K extends Wanted["kind"]>(kind: K): readonly Extract<Wanted, { readonly kind: K }>[] {
    const all = this.wanted.splice(0);
    this.wanted.push(...all.filter((wanted) => wanted.kind !== kind));
    return all.filter((wanted): wanted is Extract<Wanted, { readonly kind: K }> => wanted.kind === kind);
  }

  nowMs(): number {
    return this.clock.monotonicMs();
  }

  advance(ms: number): void {
    this.time.advanceSync(ms);
  }
}

/** Everything is known of the first account and its markets, and every gate is open from the first tick on. */
export function readyWorld(...[markets = [1, 2], changes, ofAccount]: Quoted): World {
  const world = new World();
  world.start({}, markets, changes, ofAccount);
  world.advance(1000);
  makeReady(world, markets);
  return world;
}

type Quoted = [markets?: readonly number[], changes?: Partial<QuotedMarket>, ofAccount?: Partial<QuotedAccount>];

export const money = usdc;
