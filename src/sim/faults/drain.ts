// An operator removes a market from the configuration while requests get lost, and adds it again later: for half of the time the network
// works, so that resting orders must be gone by then.

import type { QuotedMarket } from "../../bot/config/config.ts";
import type { World } from "../world.ts";
import type { Fault } from "./fault.ts";

/** Does nothing in a world of one market, because a configuration needs at least one. */
export function removeMarket(fault: Fault, world: World): void {
  const [first, ...others] = quotedBy(world);
  if (first === undefined || others.length === 0) return;
  world.networkFaults.begin({ ...fault, kind: "lostAnswers", how: "swallowed" });
  world.clock.after(fault.forMs / 2, () => world.networkFaults.end(fault));
  requote(world, fault.id % 2 === 0 ? others : [first]);
}

export function bringMarketsBack(world: World): void {
  const running = quotedBy(world);
  const all = world.worldConfig.bot.accounts.flatMap(({ markets }) => markets);
  if (running.length === all.length) return;
  const isRunning = ({ marketId }: QuotedMarket) => running.some((market) => market.marketId === marketId);
  requote(world, [...running, ...all.filter((market) => !isRunning(market))]);
}

const quotedBy = ({ config }: World): readonly QuotedMarket[] => config.accounts.flatMap(({ markets }) => markets);

function requote(world: World, markets: readonly QuotedMarket[]): void {
  const { config } = world;
  world.reload({ ...config, accounts: config.accounts.map((account) => ({ ...account, markets })) });
}
