// The tables of the ledger. Each entry of `migrations` upgrades a file by one version and is never changed once released. Whole numbers
// that may exceed 2^63 (ids, prices, sizes, amounts) are decimal text; nonces are Unix milliseconds and stay integers. There is no index of
// open intents: it would double the cost of each write, to save a tenth of a second at start.

/** Marks a SQLite file as ours: "QUOL". */
export const APPLICATION_ID = 0x51_55_4f_4c;

const first = `
CREATE TABLE intents (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  signer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  command TEXT NOT NULL,
  bytes_hash TEXT NOT NULL,
  timestamp_sec INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  ended TEXT,
  tx_hash TEXT,
  remark TEXT,
  ended_ms INTEGER
) STRICT;

CREATE TABLE settling (
  id INTEGER PRIMARY KEY,
  intent_id INTEGER NOT NULL,
  step TEXT NOT NULL,
  outcome TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE fills (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  market INTEGER NOT NULL,
  order_id TEXT NOT NULL,
  side TEXT NOT NULL,
  liquidity TEXT NOT NULL,
  price TEXT NOT NULL,
  size TEXT NOT NULL,
  fee TEXT,
  realized_pnl TEXT,
  tx_hash TEXT NOT NULL,
  timestamp_ms INTEGER,
  received_ms INTEGER NOT NULL,
  covered INTEGER NOT NULL DEFAULT 0,
  UNIQUE (account, key)
) STRICT;

CREATE TABLE funding (
  account TEXT NOT NULL,
  market INTEGER NOT NULL,
  at_sec INTEGER NOT NULL,
  amount TEXT NOT NULL,
  UNIQUE (account, market, at_sec)
) STRICT;

CREATE TABLE transfers (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  reason TEXT NOT NULL,
  amount TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (account, key)
) STRICT;

CREATE TABLE totals (
  account TEXT PRIMARY KEY,
  realized_pnl TEXT NOT NULL,
  fees TEXT NOT NULL,
  funding TEXT NOT NULL,
  transfers TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE equity (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  collateral TEXT NOT NULL,
  unrealized_pnl TEXT NOT NULL
) STRICT;
CREATE INDEX equity_by_account ON equity (account, id);

CREATE TABLE reservations (
  signer TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE latches (
  id INTEGER PRIMARY KEY,
  event TEXT NOT NULL,
  account TEXT NOT NULL,
  market INTEGER,
  kind TEXT,
  holds TEXT,
  reason TEXT NOT NULL,
  numbers TEXT,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  order_id TEXT NOT NULL,
  market INTEGER NOT NULL,
  side TEXT NOT NULL,
  UNIQUE (account, order_id)
) STRICT;

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  market INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  view_hash TEXT NOT NULL,
  commands TEXT NOT NULL,
  denials TEXT NOT NULL
) STRICT;
`;

/** Results that outlive the process, one row per market and one (market null) per account; and the unexplained part of a snapshot. */
const second = `
CREATE TABLE results (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  market INTEGER,
  state TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX results_by_place ON results (account, coalesce(market, -1));

ALTER TABLE equity ADD COLUMN unexplained TEXT;
`;

/**
 * The account book is folded from its events, so no sums are stored. Each fill has its place among the reads of its position
 * (`reads_before`) and the reference of its edge; `covered` is 0 if it moved its own money, 1 if a transfer replaces it, 2 if the read
 * collateral included it. Results of older versions were computed differently; they start again from zero.
 */
const third = `
ALTER TABLE fills ADD COLUMN reference_price TEXT;
ALTER TABLE fills ADD COLUMN reads_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfers ADD COLUMN market INTEGER;

CREATE TABLE positions (
  account TEXT NOT NULL,
  market INTEGER NOT NULL,
  number INTEGER NOT NULL,
  inventory TEXT NOT NULL,
  entry_price TEXT NOT NULL,
  oracle_price TEXT NOT NULL,
  adopted INTEGER NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0,
  at_ms INTEGER NOT NULL,
  UNIQUE (account, market, number)
) STRICT;

DELETE FROM results;
DROP TABLE totals;
`;

/** Price moves by prints while a position was held; `valid_until_sec` identifies the print. */
const fourth = `
CREATE TABLE prints (
  account TEXT NOT NULL,
  market INTEGER NOT NULL,
  valid_until_sec INTEGER NOT NULL,
  amount TEXT NOT NULL,
  UNIQUE (account, market, valid_until_sec)
) STRICT;
`;

/** Sums of archived rows, one row per market and one (market null) per account; `accepted` is a read accepted since. */
const fifth = `
CREATE TABLE openings (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  market INTEGER,
  state TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX openings_by_place ON openings (account, coalesce(market, -1));
CREATE INDEX fills_by_market ON fills (account, market);
`;

/** Every POST at the daemon's HTTP. `body` and `reason` are null if nothing was read. */
const sixth = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  call TEXT NOT NULL,
  caller TEXT NOT NULL,
  authorized INTEGER NOT NULL,
  reason TEXT,
  body TEXT,
  status INTEGER NOT NULL
) STRICT;
`;

/** Price and total size of an order as last confirmed. `over`: all its fills are known, which is assumed for earlier rows. */
const seventh = `
ALTER TABLE orders ADD COLUMN price TEXT;
ALTER TABLE orders ADD COLUMN size TEXT;
ALTER TABLE orders ADD COLUMN over INTEGER NOT NULL DEFAULT 1;
`;

/**
 * The chain of an account's rows: what the account showed of it, one row per chain, counted from 1. Without a row, the rows are of chain 1.
 * Accounts whose money is folded differently from this version on start their day at zero.
 */
const eighth = `
CREATE TABLE chains (
  account TEXT NOT NULL,
  number INTEGER NOT NULL,
  account_created_ms INTEGER NOT NULL,
  lifetime_volume TEXT NOT NULL,
  began_ms INTEGER NOT NULL,
  UNIQUE (account, number)
) STRICT;

UPDATE results SET state = json_set(state, '$.day', NULL) WHERE json_valid(state) AND account IN (
  SELECT account FROM transfers WHERE reason IN ('whileAway', 'inflow', 'adoptedPosition', 'unexplained')
  UNION SELECT account FROM openings
);
`;

/** The last valuation prices of a market on each day (UTC), and its name; and the time of a print, null in earlier rows. */
const ninth = `
CREATE TABLE marks (
  account TEXT NOT NULL,
  market INTEGER NOT NULL,
  day INTEGER NOT NULL,
  name TEXT NOT NULL,
  print TEXT NOT NULL,
  mid TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (account, market, day)
) STRICT;
ALTER TABLE prints ADD COLUMN at_ms INTEGER;
`;

/** The bot's estimates, one row per market and one (market null) for all markets of an account together. */
const tenth = `
CREATE TABLE estimates (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  market INTEGER,
  state TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX estimates_by_place ON estimates (account, coalesce(market, -1));
`;

/**
 * What an account's orders showed about the exchange's dialect, one row per key. It outlives a restarted chain, because the exchange is the
 * same.
 */
const eleventh = `
CREATE TABLE dialect (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  word TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (account, key)
) STRICT;
`;

/** How a market was quoted by the hour (UTC): one row per hour and run. Prices are null while the market was not valued. */
const twelfth = `
CREATE TABLE hours (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  market INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  began_ms INTEGER NOT NULL,
  print TEXT,
  mid TEXT,
  state TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (account, market, hour, began_ms)
) STRICT;
`;

/**
 * The audit as a chain of hashes, which begins after the rows of earlier versions. `trimmed`: the newest deleted row and its hash; rows up
 * to it may still be there if the process ended between the two steps of deleting.
 */
const thirteenth = `
ALTER TABLE audit ADD COLUMN hash TEXT;
CREATE TABLE trimmed (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  audit_id INTEGER NOT NULL,
  audit_hash TEXT NOT NULL
) STRICT;
INSERT INTO trimmed VALUES (1, 0, '');
`;

export const migrations: readonly string[] = [
  first,
  second,
  third,
  fourth,
  fifth,
  sixth,
  seventh,
  eighth,
  ninth,
  tenth,
  eleventh,
  twelfth,
  thirteenth,
];
