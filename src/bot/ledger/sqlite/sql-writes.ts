// The SQL statement that writes each kind of record. Writing a record twice leaves one row, because a batch may be written again after a
// disk failed in its commit.

import type { StoredOrder } from "../../../domain/order.ts";
import { fillMoneys } from "../../accounting/market-book.ts";
import { commandText, factsText } from "../command-text.ts";
import {
  chainedTables,
  type LedgerRecord,
  type Retention,
  type StoredEstimates,
  type StoredHour,
  type StoredMark,
  type StoredResult,
  type StoredWord,
} from "../store.ts";
import { chainNumber, type Sql, type SqlStatement } from "./sql.ts";

/** Prepares every statement once; the result writes one record into the open transaction. */
export function prepareWrites(sql: Sql): (record: LedgerRecord) => void {
  const run = prepareStatements(sql);
  return (record) => {
    switch (record.kind) {
      case "intent": {
        const { id, accountId, signer, nonce, command, bytesHash, timestampSec, createdMs } = record.intent;
        const text = commandText(command);
        return run.intent.run(id, `${accountId}`, signer, nonce, text, bytesHash, timestampSec, createdMs);
      }
      case "ending": {
        const { end, txHash, remark, atMs, intentId } = record.ending;
        return run.ending.run(end, txHash, remark, atMs, intentId);
      }
      case "resolution": {
        const { intentId, step, outcome, atMs } = record.step;
        return run.settling.run(intentId, step, outcome, atMs);
      }
      case "position":
        return writePosition(run.position, record);
      case "accepted": {
        const { marketId, number } = record.event;
        run.openingAccepted.run(number, `${record.accountId}`, marketId);
        return run.accepted.run(`${record.accountId}`, marketId, number);
      }
      case "funding": {
        const { marketId, atSec, amount } = record.event;
        return run.funding.run(`${record.accountId}`, marketId, atSec, `${amount}`);
      }
      case "print": {
        const { marketId, validUntilSec, amount } = record.event;
        return run.print.run(`${record.accountId}`, marketId, validUntilSec, `${amount}`, record.atMs);
      }
      case "mark":
        return writeMark(run.mark, record.mark);
      case "hour":
        return writeHour(run.hour, record.hour);
      case "transfer": {
        const { accountId, event, atMs } = record;
        for (const key of event.fillKeys) run.posted.run(`${accountId}`, key);
        return run.transfer.run(`${accountId}`, event.key, event.reason, event.marketId, `${event.amount}`, atMs);
      }
      case "equity": {
        const { accountId, atMs, collateral, unrealizedPnl, unexplained } = record.snapshot;
        return run.equity.run(`${accountId}`, atMs, `${collateral}`, `${unrealizedPnl}`, nullable(unexplained));
      }
      case "result":
        return writeState(run.result, record.result);
      case "estimates":
        return writeState(run.estimates, record.estimates);
      case "dialect":
        return writeWord(run.dialect, record.learned);
      case "chain": {
        const { accountId, mark, atMs } = record;
        const account = `${accountId}`;
        return run.chain.run(account, account, mark.createdAtMs, `${mark.lifetimeVolume}`, atMs);
      }
      case "chainBegan": {
        const { accountId, mark, atMs } = record;
        const account = `${accountId}`;
        for (const forget of run.chainEnds) forget.run(account);
        return run.chainBegins.run(account, account, mark.createdAtMs, `${mark.lifetimeVolume}`, atMs);
      }
      case "reservation":
        return run.reservation.run(record.signer, record.until);
      case "decision": {
        const { accountId, marketId, atMs, viewHash, commands, denials } = record.decision;
        const text = commandText(commands);
        return run.decision.run(`${accountId}`, marketId, atMs, viewHash, text, JSON.stringify(denials));
      }
      case "audit": {
        const { atMs, call, caller, isAuthorized, reason, body, status, hash = null } = record.entry;
        return run.audit.run(atMs, call, caller, isAuthorized ? 1 : 0, reason, body, status, hash);
      }
      case "fill":
        return writeFill(run.fill, record);
      case "latch":
        return writeLatch(run.latch, record);
      case "order":
        return writeOrder(run.order, record.order);
      case "foreignOrder":
        return run.foreignOrder.run(`${record.accountId}`, `${record.orderId}`);
    }
  };
}

const writeState = (
  statement: SqlStatement,
  { accountId, marketId, state, atMs }: StoredResult | StoredEstimates,
): unknown => statement.run(`${accountId}`, marketId, state, atMs);

function writePosition(statement: SqlStatement, record: Extract<LedgerRecord, { kind: "position" }>): unknown {
  const { marketId, number, inventory, entryPrice, oraclePrice, isAdopted } = record.event;
  const prices = [`${entryPrice}`, `${oraclePrice}`] as const;
  return statement.run(
    `${record.accountId}`,
    marketId,
    number,
    `${inventory}`,
    ...prices,
    isAdopted ? 1 : 0,
    record.atMs,
  );
}

const writeMark = (
  statement: SqlStatement,
  { accountId, marketId, day, name, print, mid, atMs }: StoredMark,
): unknown => statement.run(`${accountId}`, marketId, day, name, `${print}`, `${mid}`, atMs);

function writeHour(statement: SqlStatement, hour: StoredHour): unknown {
  const { accountId, marketId, beganMs, prices, state, atMs } = hour;
  const [print, mid] = prices === null ? [null, null] : [`${prices.print}`, `${prices.mid}`];
  return statement.run(`${accountId}`, marketId, hour.hour, beganMs, print, mid, state, atMs);
}

const writeWord = (statement: SqlStatement, { accountId, key, word, atMs }: StoredWord): unknown =>
  statement.run(`${accountId}`, key, word, atMs);

function writeFill(statement: SqlStatement, { event, receivedMs }: Extract<LedgerRecord, { kind: "fill" }>): unknown {
  const { fill, referencePrice, readsBefore, money } = event;
  return statement.run(
    `${fill.accountId}`,
    fill.key,
    fill.marketId,
    `${fill.orderId}`,
    fill.side,
    fill.liquidity,
    `${fill.price}`,
    `${fill.size}`,
    nullable(fill.fee),
    nullable(fill.realizedPnl),
    fill.txHash,
    fill.timestampMs,
    receivedMs,
    fillMoneys.indexOf(money),
    nullable(referencePrice),
    readsBefore,
  );
}

function writeOrder(statement: SqlStatement, order: StoredOrder): unknown {
  const { accountId, orderId, marketId, side, price, size, isOver } = order;
  const terms = [nullable(price), nullable(size), isOver ? 1 : 0] as const;
  return statement.run(`${accountId}`, `${orderId}`, marketId, side, ...terms);
}

function writeLatch(statement: SqlStatement, record: Extract<LedgerRecord, { kind: "latch" }>): unknown {
  const { event, atMs } = record;
  if (event.kind === "lifted") {
    const { accountId, marketId, latch, reason } = event;
    return statement.run("lifted", `${accountId}`, marketId, latch, null, reason, null, atMs);
  }
  const { accountId, marketId, kind, holds, reason, numbers } = event.latch;
  return statement.run("tripped", `${accountId}`, marketId, kind, holds, reason, factsText(numbers), atMs);
}

const nullable = (value: bigint | null): string | null => (value === null ? null : `${value}`);

/** Most rows deleted per table and call of `prepareRotation`, because the loop waits. */
const ROTATED_MAX = 5000;

/** Deletes rows beyond the retention, oldest first. Intents without an end stay, whatever their age. */
export function prepareRotation(sql: Sql): (retention: Retention) => void {
  const oldest = (table: string, condition: string) =>
    sql.prepare(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id <= (SELECT max(id) FROM ${table}) - ? ${condition} ORDER BY id LIMIT ${ROTATED_MAX})`,
    );
  const decisions = oldest("decisions", "");
  const equity = oldest("equity", "");
  const orders = oldest("orders", "");
  const audit = prepareTrim(sql);
  const hours = oldest("hours", "");
  const intents = oldest("intents", "AND ended IS NOT NULL");
  const settling = sql.prepare("DELETE FROM settling WHERE intent_id < (SELECT min(id) FROM intents)");
  return (retention) => {
    decisions.run(retention.decisions);
    equity.run(retention.snapshots);
    orders.run(retention.orders);
    audit(retention.audit);
    hours.run(retention.hours);
    intents.run(retention.intents);
    settling.run();
  };
}

/** Stores the hash of the newest row to delete before it deletes: the chain continues from there. */
function prepareTrim(sql: Sql): (retention: number) => void {
  const newest = sql.prepare(
    `SELECT max(id) AS id FROM (SELECT id FROM audit WHERE id <= (SELECT max(id) FROM audit) - ? ORDER BY id LIMIT ${ROTATED_MAX})`,
  );
  const note = sql.prepare(
    "UPDATE trimmed SET audit_id = ?, audit_hash = coalesce((SELECT hash FROM audit WHERE id = ?), audit_hash)",
  );
  const remove = sql.prepare("DELETE FROM audit WHERE id <= ?");
  return (retention) => {
    const { id = null } = newest.get(retention) ?? {};
    if (id === null) return;
    note.run(id, id);
    remove.run(id);
  };
}

function prepareStatements(sql: Sql) {
  return {
    intent: sql.prepare(
      "INSERT OR REPLACE INTO intents (id, account, signer, nonce, command, bytes_hash, timestamp_sec, created_ms) VALUES (?,?,?,?,?,?,?,?)",
    ),
    ending: sql.prepare("UPDATE intents SET ended = ?, tx_hash = ?, remark = ?, ended_ms = ? WHERE id = ?"),
    settling: sql.prepare("INSERT INTO settling (intent_id, step, outcome, at_ms) VALUES (?,?,?,?)"),
    fill: sql.prepare(
      `INSERT INTO fills (account, key, market, order_id, side, liquidity, price, size, fee, realized_pnl, tx_hash, timestamp_ms,
         received_ms, covered, reference_price, reads_before)
       VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
       ON CONFLICT (account, key) DO UPDATE SET fee = coalesce(fee, excluded.fee),
         realized_pnl = coalesce(realized_pnl, excluded.realized_pnl),
         timestamp_ms = min(coalesce(timestamp_ms, excluded.timestamp_ms), coalesce(excluded.timestamp_ms, timestamp_ms)),
         covered = max(covered, excluded.covered), reference_price = coalesce(reference_price, excluded.reference_price),
         reads_before = min(reads_before, excluded.reads_before)`,
    ),
    posted: sql.prepare("UPDATE fills SET covered = max(covered, 1) WHERE account = ? AND key = ?"),
    position: sql.prepare(
      "INSERT OR IGNORE INTO positions (account, market, number, inventory, entry_price, oracle_price, adopted, at_ms) VALUES (?,?,?,?,?,?,?,?)",
    ),
    openingAccepted: sql.prepare("UPDATE openings SET accepted = max(accepted, ?) WHERE account = ? AND market = ?"),
    accepted: sql.prepare("UPDATE positions SET accepted = 1 WHERE account = ? AND market = ? AND number = ?"),
    funding: sql.prepare("INSERT OR IGNORE INTO funding (account, market, at_sec, amount) VALUES (?,?,?,?)"),
    print: sql.prepare(
      "INSERT OR IGNORE INTO prints (account, market, valid_until_sec, amount, at_ms) VALUES (?,?,?,?,?)",
    ),
    mark: sql.prepare(
      "INSERT OR REPLACE INTO marks (account, market, day, name, print, mid, at_ms) VALUES (?,?,?,?,?,?,?)",
    ),
    hour: sql.prepare(
      `INSERT INTO hours (account, market, hour, began_ms, print, mid, state, at_ms) VALUES (?,?,?,?,?,?,?,?)
       ON CONFLICT (account, market, hour, began_ms) DO UPDATE SET print = excluded.print, mid = excluded.mid,
         state = excluded.state, at_ms = excluded.at_ms`,
    ),
    transfer: sql.prepare(
      "INSERT OR IGNORE INTO transfers (account, key, reason, market, amount, at_ms) VALUES (?,?,?,?,?,?)",
    ),
    equity: sql.prepare(
      "INSERT INTO equity (account, at_ms, collateral, unrealized_pnl, unexplained) VALUES (?,?,?,?,?)",
    ),
    result: sql.prepare(
      `INSERT INTO results (account, market, state, at_ms) VALUES (?,?,?,?)
       ON CONFLICT (account, coalesce(market, -1)) DO UPDATE SET state = excluded.state, at_ms = excluded.at_ms`,
    ),
    estimates: sql.prepare(
      `INSERT INTO estimates (account, market, state, at_ms) VALUES (?,?,?,?)
       ON CONFLICT (account, coalesce(market, -1)) DO UPDATE SET state = excluded.state, at_ms = excluded.at_ms`,
    ),
    dialect: sql.prepare("INSERT OR REPLACE INTO dialect (account, key, word, at_ms) VALUES (?,?,?,?)"),
    chain: sql.prepare(
      `INSERT INTO chains (account, number, account_created_ms, lifetime_volume, began_ms) VALUES (?,${chainNumber("?")},?,?,?)
       ON CONFLICT (account, number) DO UPDATE SET lifetime_volume = excluded.lifetime_volume`,
    ),
    chainEnds: [...chainedTables, "openings", "marks", "hours", "results", "estimates"].map((table) =>
      sql.prepare(`DELETE FROM ${table} WHERE account = ?`),
    ),
    chainBegins: sql.prepare(
      `INSERT INTO chains (account, number, account_created_ms, lifetime_volume, began_ms) VALUES (?,${chainNumber("?")} + 1,?,?,?)`,
    ),
    reservation: sql.prepare(
      "INSERT INTO reservations (signer, until) VALUES (?,?) ON CONFLICT (signer) DO UPDATE SET until = excluded.until",
    ),
    latch: sql.prepare(
      "INSERT INTO latches (event, account, market, kind, holds, reason, numbers, at_ms) VALUES (?,?,?,?,?,?,?,?)",
    ),
    order: sql.prepare(
      `INSERT INTO orders (account, order_id, market, side, price, size, over) VALUES (?,?,?,?,?,?,?)
       ON CONFLICT (account, order_id) DO UPDATE SET price = coalesce(excluded.price, price),
         size = coalesce(excluded.size, size), over = max(over, excluded.over)`,
    ),
    foreignOrder: sql.prepare("DELETE FROM orders WHERE account = ? AND order_id = ?"),
    decision: sql.prepare(
      "INSERT INTO decisions (account, market, at_ms, view_hash, commands, denials) VALUES (?,?,?,?,?,?)",
    ),
    audit: sql.prepare(
      `INSERT INTO audit (id, at_ms, call, caller, authorized, reason, body, status, hash)
       VALUES ((SELECT max(audit_id, coalesce((SELECT max(id) FROM audit), 0)) + 1 FROM trimmed),?,?,?,?,?,?,?,?)`,
    ),
  };
}
