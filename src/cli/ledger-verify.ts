// `quoin ledger verify`: compares the ledger with the exchange, account by account. Beside a running daemon both change: an account is
// judged when two reads of the exchange, before and after the ledger's, are equal; a difference has ten seconds to disappear.

import { type BotConfig, withoutPaper } from "../bot/config/config.ts";
import { verifyAudit } from "../bot/ledger/audit-chain.ts";
import {
  type AccountVerdict,
  compareWith,
  type Difference,
  type LedgerVerdict,
  type Sums,
  verifyLedger,
} from "../bot/ledger/verify.ts";
import { ReadError, type VenueReads } from "../bot/venue/port.ts";
import { withFleet } from "../daemon/fleet/database.ts";
import { eachFleetLedger } from "../daemon/fleet/ledgers.ts";
import { otherChain, reachVenue } from "../daemon/reach-venue.ts";
import { type Account, inventoryOf } from "../domain/account.ts";
import { type AccountId, AMOUNT_SCALE, SIZE_SCALE } from "../domain/units.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { sleep } from "../kernel/clock.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { messageOf } from "../kernel/errors.ts";
import { stringifyQuoted } from "../kernel/json.ts";
import { holdLock, LockError } from "../kernel/locking.ts";
import { printable } from "../kernel/printable.ts";
import { countText } from "../kernel/text.ts";
import { withLedger, withRunningLedger } from "./ledger.ts";
import { readConfig } from "./read-config.ts";

/** How long a running daemon may take to book what the exchange has done. */
const JUDGED_MS = 10_000;
const ROUND_MS = 250;

/** The result for one account. */
type Finding = {
  readonly accountId: AccountId;
  /** Null: the account is not in the configuration, so the exchange was not asked. */
  readonly isOk: boolean | null;
  /** Compared with the exchange now, or with its last read. */
  readonly seen: { readonly collateral: bigint; readonly atMs: number } | null;
  readonly differences: readonly Difference[];
  /** The ledger's figures at that time. Null: it has none for the account, or was not read. */
  readonly sums: Sums | null;
  readonly sentence: string;
};

/** Prints a line per account, then a line per fault. Exit 1 for a difference, a damaged ledger, or an exchange that does not answer. */
export async function ledgerVerify(
  options: { readonly config: string; readonly json: boolean; readonly offline: boolean },
  host: Host,
): Promise<ExitCode> {
  const written = await readConfig(options.config, host);
  if (written === undefined) return EXIT_USAGE;
  if (written.fleet !== null) return verifyFleet(written, options.json, host);
  const config = await withRunningLedger(written, host);
  let verdict: LedgerVerdict | undefined;
  const code = withLedger(config, host, (reading) => {
    verdict = verifyLedger(reading);
    return EXIT_DONE;
  });
  if (verdict === undefined) return code;
  const findings = options.offline
    ? verdict.accounts.map(byLastRead)
    : await byExchange(config, verdict.accounts, host);
  if (typeof findings === "number") return findings;
  const { file } = config.ledger;
  const print = options.json ? asJson : asText;
  host.stdout(print(`${file}`, verdict, findings));
  const isRight = verdict.faults.length === 0 && findings.every(({ isOk }) => isOk !== false);
  return isRight ? EXIT_DONE : EXIT_FAILED;
}

/** Checks the audit of each account, and nothing else, as the fleet's database has it. */
function verifyFleet(config: BotConfig, json: boolean, host: Host): Promise<ExitCode> {
  return withFleet(config, host, async (database) => {
    let code: ExitCode = EXIT_DONE;
    await eachFleetLedger(database, (read, accountId) => {
      const audit = verifyAudit(read.trail());
      if (audit.fault !== null) code = EXIT_FAILED;
      const fault = audit.fault === null ? "" : `; fault: ${printable(audit.fault)}`;
      host.stdout(
        `${json ? JSON.stringify({ accountId, audit }) : `account ${accountId}: ${auditText(audit)}${fault}`}\n`,
      );
    });
    return code;
  });
}

/** Compares with the last read of the exchange, which a running daemon stores each minute and at its stop. */
function byLastRead({ accountId, seen, ...sums }: AccountVerdict): Finding {
  if (seen === null) {
    const sentence = "the ledger notes no read of the exchange yet";
    return { accountId, isOk: false, seen, differences: [], sums, sentence };
  }
  const { collateral, atMs, unexplained } = seen;
  const by = `by the last read, of ${new Date(atMs).toISOString()}`;
  if (unexplained === 0n)
    return {
      accountId,
      isOk: true,
      seen,
      differences: [],
      sums,
      sentence: `OK ${by}: collateral ${usdcText(collateral)} USDC`,
    };
  const difference = {
    what: "collateral",
    marketId: null,
    exchange: collateral,
    ledger: collateral - unexplained,
  } as const;
  const sentence = `${by}: ${differenceText(difference)}`;
  return { accountId, isOk: false, seen, differences: [difference], sums, sentence };
}

/** Compares with the exchange now. Returns an exit code when it cannot be asked; stderr says why. */
async function byExchange(
  config: BotConfig,
  booked: readonly AccountVerdict[],
  host: Host,
): Promise<readonly Finding[] | ExitCode> {
  const { accounts } = withoutPaper(config);
  const venue = reachVenue(config, host);
  if (venue === null)
    return endWith(
      EXIT_FAILED,
      "the embedded exchange lives in its daemon and cannot be read from here; --offline compares with the last read",
      host,
    );
  try {
    const other = await otherChain(config, venue);
    if (other !== undefined) return endWith(EXIT_USAGE, other, host);
    const findings = await judged({ ...config, accounts }, venue.reads, host);
    if (findings === null) return EXIT_FAILED;
    const quoted = new Set(accounts.map(({ accountId }) => accountId));
    return [...findings, ...booked.filter(({ accountId }) => !quoted.has(accountId)).map(notAsked)];
  } catch (error) {
    const { validatorUrl } = config.venue as { readonly validatorUrl: string };
    return endWith(
      EXIT_FAILED,
      `the exchange at ${validatorUrl} cannot be read: ${messageOf(error)}; --offline compares with the last read`,
      host,
    );
  } finally {
    await venue.close();
  }
}

const notAsked = ({ accountId, totals, expected }: AccountVerdict): Finding => ({
  accountId,
  isOk: null,
  seen: null,
  differences: [],
  sums: { totals, expected },
  sentence: "not an account of the exchange in the configuration; not compared",
});

/**
 * Null: the ledger could not be read; why is on stderr. Throws what the exchange's reads throw, but for an account that it does not have.
 */
async function judged(config: BotConfig, reads: VenueReads, host: Host): Promise<readonly Finding[] | null> {
  const { clock } = host;
  const untilMs = clock.monotonicMs() + JUDGED_MS;
  const findings = new Map<AccountId, Finding>();
  for (;;) {
    const open = config.accounts.map(({ accountId }) => accountId).filter((id) => findings.get(id)?.isOk !== true);
    const isWritten = isLedgerWritten(config.ledger.file);
    const before = await readAll(open, reads);
    const compared = new Map<AccountId, Comparison>();
    const code = withLedger(config, host, ({ read }) => {
      const booked = new Set(read.accounts());
      for (const [id, account] of before)
        if (account !== null && booked.has(id)) compared.set(id, compareWith(read, account));
      return EXIT_DONE;
    });
    if (code !== EXIT_DONE) return null;
    const after = await readAll(open, reads);
    const atMs = clock.wallMs();
    for (const id of open) {
      const [one, other] = [before.get(id) ?? null, after.get(id) ?? null];
      const moves = one !== null && other !== null && !isSame(one, other);
      if (!moves || !findings.has(id)) findings.set(id, findingOf(id, one, compared.get(id) ?? null, { moves, atMs }));
    }
    const isOver = clock.monotonicMs() >= untilMs;
    const mayChange = isWritten || [...findings.values()].some(({ sentence }) => sentence === MOVES);
    if (isOver || !mayChange || [...findings.values()].every(({ isOk }) => isOk === true))
      return [...findings.values()];
    await sleep(clock, ROUND_MS);
  }
}

type Comparison = ReturnType<typeof compareWith>;

const MOVES = "not judged: the exchange's account changed between any two reads of ten seconds";

function findingOf(
  accountId: AccountId,
  account: Account | null,
  comparison: Comparison | null,
  { moves, atMs }: { readonly moves: boolean; readonly atMs: number },
): Finding {
  const finding = { accountId, isOk: false, seen: null, differences: [], sums: comparison };
  if (account === null) return { ...finding, sentence: "the exchange has no such account" };
  const seen = { collateral: account.collateral, atMs };
  if (moves) return { ...finding, seen, sentence: MOVES };
  if (comparison === null) return { ...finding, seen, sentence: "the ledger has nothing of it yet" };
  const { differences } = comparison;
  if (differences.length > 0)
    return { ...finding, seen, differences, sentence: differences.map(differenceText).join("; ") };
  const positions = account.positions.map(
    (position) => `, ${sizeText(inventoryOf(position))} contracts in market ${position.marketId}`,
  );
  const sentence = `OK: collateral ${usdcText(account.collateral)} USDC${positions.join("")}`;
  return { ...finding, isOk: true, seen, sentence };
}

/** Null: the exchange has no such account. */
async function readAll(
  accounts: readonly AccountId[],
  reads: Pick<VenueReads, "account">,
): Promise<ReadonlyMap<AccountId, Account | null>> {
  const read = async (accountId: AccountId) =>
    reads.account(accountId).catch((error: unknown) => {
      if (error instanceof ReadError && error.httpStatus === NOT_FOUND) return null;
      throw error;
    });
  return new Map(await Promise.all(accounts.map(async (id) => [id, await read(id)] as const)));
}

const NOT_FOUND = 404;

/** Compares only what a ledger could show. */
const isSame = (one: Account, other: Account): boolean =>
  one.collateral === other.collateral &&
  one.lifetimeVolume === other.lifetimeVolume &&
  one.positions.length === other.positions.length &&
  one.positions.every((position) => {
    const now = other.positions.find(({ marketId }) => marketId === position.marketId);
    return inventoryOf(now) === inventoryOf(position);
  });

/** Whether a daemon holds the ledger, so that it may still book the difference. */
function isLedgerWritten(file: string | null): boolean {
  try {
    holdLock(`${file}.lock`).release();
    return false;
  } catch (error) {
    return error instanceof LockError && error.code === "lock_held";
  }
}

function differenceText({ what, marketId, exchange, ledger }: Difference): string {
  if (what === "createdAt") {
    const [there, here] = [exchange, ledger].map((ms) => new Date(Number(ms)).toISOString());
    return `another chain: the account was created ${there}, the ledger's ${here}; the daemon's next start begins a book of its own`;
  }
  const [scale, name] =
    what === "collateral" ? [AMOUNT_SCALE, "collateral"] : [SIZE_SCALE, `position in market ${marketId}`];
  const [there, here, apart] = [exchange, ledger, exchange - ledger].map((figure) => formatDecimal(figure, scale));
  return `${name} differs by ${apart}: the exchange has ${there}, the ledger ${here}`;
}

function asText(file: string, { faults, openIntents, audit }: LedgerVerdict, findings: readonly Finding[]): string {
  const lines = [
    `${file}: ${faults.length === 0 ? "whole" : countText(faults.length, "fault")}, ${countText(openIntents, "unanswered transaction")}`,
    auditText(audit),
    ...findings.map(({ accountId, sentence, sums }) => `account ${accountId}: ${sentence}${sumText(sums)}`),
    ...faults.map((fault) => `fault: ${fault}`),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function auditText({ rows, unchained, head, fault }: LedgerVerdict["audit"]): string {
  const earlier = unchained === 0 ? "" : `, the oldest ${unchained} of an earlier version not chained`;
  const state = fault === null ? `chained, head ${head === "" ? "none" : head}` : "BROKEN";
  return `audit: ${countText(rows, "row")}, ${state}${earlier}`;
}

function sumText(sums: Sums | null): string {
  if (sums === null) return "";
  const { realizedPnl, funding, fees, transfers } = sums.totals;
  const terms = `realized ${usdcText(realizedPnl)} + funding ${usdcText(funding)} - fees ${usdcText(fees)} + transfers ${usdcText(transfers)}`;
  return ` (ledger: ${terms} = ${usdcText(sums.expected)})`;
}

function asJson(file: string, verdict: LedgerVerdict, findings: readonly Finding[]): string {
  const accounts = findings.map(({ accountId, isOk, seen, differences, sums, sentence }) => {
    const { totals = null, expected = null } = sums ?? {};
    return { accountId, ok: isOk, totals, expected, seen, differences, detail: sentence };
  });
  return `${stringifyQuoted({ file, ...verdict, accounts })}\n`;
}

const usdcText = (raw: bigint): string => formatDecimal(raw, AMOUNT_SCALE);
const sizeText = (raw: bigint): string => formatDecimal(raw, SIZE_SCALE);
