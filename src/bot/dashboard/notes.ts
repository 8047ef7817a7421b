// Changes between two observations of the daemon, as sentences: the page's log of decisions and denials.

import type { AccountStatus, MarketStatus, SideLine, Status } from "./status.ts";

export function notesBetween(before: Status, after: Status): readonly string[] {
  const phase = before.phase === after.phase ? [] : [`The daemon is now ${after.phase}.`];
  return [
    ...phase,
    ...after.accounts.flatMap((account) => {
      const known = before.accounts.find(({ accountId }) => accountId === account.accountId);
      return known === undefined ? [] : accountNotes(known, account);
    }),
  ];
}

function accountNotes(before: AccountStatus, after: AccountStatus): readonly string[] {
  const place = `Account ${after.accountId}`;
  const tripped = after.latches.filter((latch) => !before.latches.includes(latch));
  const lifted = before.latches.filter((latch) => !after.latches.includes(latch));
  return [
    ...tripped.map((latch) => `${place}: latch ${latch}.`),
    ...lifted.map((latch) => `${place}: lifted ${latch}.`),
    ...after.markets.flatMap((market) => {
      const known = before.markets.find(({ marketId }) => marketId === market.marketId);
      return known === undefined ? [`${market.name} is quoted by ${market.strategy}.`] : marketNotes(known, market);
    }),
  ];
}

function marketNotes(before: MarketStatus, after: MarketStatus): readonly string[] {
  const strategy = before.strategy === after.strategy ? [] : [`${after.name} is now quoted by ${after.strategy}.`];
  return [
    ...strategy,
    ...sideNote(`${after.name} bid`, before.buy, after.buy),
    ...sideNote(`${after.name} ask`, before.sell, after.sell),
  ];
}

/** Only a new reason counts: numbers in the sentence change all the time. */
function sideNote(what: string, before: SideLine, after: SideLine): readonly string[] {
  if (before.reason === after.reason) return [];
  return [after.sentence === null ? `${what}: quoted again.` : `${what}: ${after.sentence}.`];
}
