// Mutants that no rule makes, most of other parts, each a fault that has cost others money, written by hand: the stretch as it stands in the source, and what
// stands there instead. A stretch that is not there exactly once is an error, not a mutant less.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Mutant } from "./mutant.ts";

type Named = {
  readonly fault: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  /** Tests that may notice, the likeliest first. */
  readonly tests: readonly string[];
};

const unit = (...names: readonly string[]): readonly string[] => names.map((name) => `test/unit/bot/${name}.test.ts`);
const property = (name: string): string => `test/property/${name}.test.ts`;
const worlds = ["test/simulation/worlds.test.ts"];

const sending: readonly Named[] = [
  {
    fault: "an order in doubt is sent again as a new one",
    file: "src/bot/execution/send.ts",
    right: "const outcome = await this.#submit(attempt, null);",
    wrong:
      "const outcome = await this.#submit({ ...attempt, unsigned: { ...attempt.unsigned, nonce: (attempt.nonce + 1n) as Nonce } }, null);",
    tests: [...unit("execution/resolver", "execution/execution"), property("resolver"), ...worlds],
  },
  {
    fault: "the slot of an order in doubt is free for another",
    file: "src/bot/execution/queue.ts",
    right: "          this.#unresolved.add(flight);\n",
    wrong: "",
    tests: [...unit("execution/queue", "execution/execution"), ...worlds],
  },
  {
    fault: "what waited is sent without a second look of the guard",
    file: "src/bot/execution/queue.ts",
    right: "    if (ticket.call.onStack) return command;\n",
    wrong: "    return command;\n",
    tests: [...unit("execution/queue", "execution/execution"), ...worlds],
  },
  {
    fault: "the stop does not reach new exposure",
    file: "src/bot/execution/queue.ts",
    right: "if (increases && this.#stopped)",
    wrong: "if (false)",
    tests: [...unit("execution/queue", "execution/execution"), ...worlds],
  },
  {
    fault: "the cancel lane is dropped: cancels wait with everything else",
    file: "src/bot/execution/queue.ts",
    right:
      '    if (lane === "cancel") {\n      this.#supersede(slot);\n      void this.#start(command, slot, call);\n      return;\n    }\n    this.#enqueue(command, slot, lane, call);',
    wrong: '    this.#enqueue(command, slot, lane === "cancel" ? "place" : lane, call);',
    tests: [...unit("execution/queue", "execution/execution"), ...worlds],
  },
  {
    fault: "cancels are lost on the way",
    file: "src/bot/execution/queue.ts",
    right: "      void this.#start(command, slot, call);\n      return;\n",
    wrong: "      return;\n",
    tests: [...unit("execution/queue", "execution/execution"), ...worlds],
  },
  {
    fault: "an order leaves although the journal could not be written",
    file: "src/bot/execution/send.ts",
    right: 'if (written || actionClassOf(attempt.command) !== "increase")',
    wrong: "if (true)",
    tests: [...unit("execution/execution", "execution/queue"), ...worlds],
  },
  {
    fault: "a lost answer is taken for a failure",
    file: "src/bot/execution/send.ts",
    right: '({ kind: "unknown", why: messageOf(thrown) })',
    wrong: '({ kind: "notSent", why: messageOf(thrown) })',
    tests: [...unit("execution/queue", "execution/execution", "execution/resolver"), ...worlds],
  },
];

const nonces: readonly Named[] = [
  {
    fault: "a nonce is used that was not reserved on disk",
    file: "src/bot/execution/nonces.ts",
    right: "if (next > reservedUntil) return",
    wrong: "if (false) return",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
  {
    fault: "a nonce is used twice",
    file: "src/bot/execution/nonces.ts",
    right: "    this.#last = next;\n    this.#used.set(next, true);\n    // Only",
    wrong: "    // Only",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
  {
    fault: "a new life forgets the nonces of the last",
    file: "src/bot/execution/nonces.ts",
    right: "this.#last = reserved ?? 0n;",
    wrong: "this.#last = 0n;",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
  {
    fault: "a reservation counts that the disk did not take",
    file: "src/bot/execution/nonces.ts",
    right: "if (synced && until > this.#reservedUntil)",
    wrong: "if (until > this.#reservedUntil)",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
  {
    fault: "more nonces are in flight than the exchange remembers",
    file: "src/bot/execution/nonces.ts",
    right: "if (inFlight >= inFlightMax)",
    wrong: "if (false)",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
];

const guard: readonly Named[] = [
  {
    fault: "a gate that throws is open",
    file: "src/bot/risk/gates/gates.ts",
    right: "    return { threw: messageOf(error) };",
    wrong: "    return null;",
    tests: [...unit("risk/gates/gates", "risk/guard"), property("guard")],
  },
  {
    fault: "what cannot be judged is approved",
    file: "src/bot/risk/guard.ts",
    right: "    return { command, actionClass, denials: [faultOf(error)] };",
    wrong: "    return undefined;",
    tests: [...unit("risk/guard"), property("guard")],
  },
  {
    fault: "an order that rests is never judged again",
    file: "src/bot/risk/guard.ts",
    right: "    const refusal = judgeKept(proposalToKeep(order, view), ground, tally);\n",
    wrong: "    const refusal = undefined as Denied | undefined;\n",
    tests: [...unit("risk/resting")],
  },
  {
    fault: "quotes that never come to rest are taken for quotes on their way",
    file: "src/bot/service/desks/quoting.ts",
    right: "    if (forMs <= LACKS_MS_MAX || this.#turn === null) return null;",
    wrong: "    if (forMs >= 0 || this.#turn === null) return null;",
    tests: [...unit("service/desks/quoting")],
  },
  {
    fault: "a side that stands still sends all that it wants, ten times a second",
    file: "src/bot/risk/guard.ts",
    right: 'command !== trialOf(commands, standstills) ? "waiting" : "quote"',
    wrong: 'command === undefined ? "waiting" : "quote"',
    tests: [...unit("risk/guard", "service/desks/quoting")],
  },
];

const doubt: readonly Named[] = [
  {
    fault: "an order in doubt does not count in the worst case",
    file: "src/bot/risk/exposure.ts",
    right: "if (!order.reduceOnly) adding",
    wrong: 'if (!order.reduceOnly && order.state !== "unknown") adding',
    tests: unit("risk/exposure"),
  },
  {
    fault: "an order in doubt does not count against what is added",
    file: "src/bot/risk/limits/tally.ts",
    right: "    count(tally[order.side], order.reduceOnly, order.remainingSize);",
    wrong: '    if (order.state !== "unknown") count(tally[order.side], order.reduceOnly, order.remainingSize);',
    tests: [...unit("risk/limits/limit-rules"), property("guard")],
  },
  {
    fault: "a fence that was not taken once proves that the order landed",
    file: "src/bot/execution/resolver.ts",
    right: 'if (first !== "turnedDown") return null;',
    wrong: 'return first === "turnedDown" ? "landed" : null;',
    tests: [...unit("execution/resolver"), property("resolver"), ...worlds],
  },
  {
    fault: "an order in doubt is believed dead after a while, whatever the chain's clock says",
    file: "src/bot/execution/resolver.ts",
    right: '"true");\n    return "landed";',
    wrong: '"true");\n    return "neverLanded";',
    tests: [...unit("execution/resolver"), property("resolver"), ...worlds],
  },
  {
    fault: "doubts of an earlier life are not taken up",
    file: "src/bot/execution/resolver.ts",
    right: "for (const intent of journal.openIntents()) {",
    wrong: "for (const intent of journal.openIntents().slice(0, 0)) {",
    tests: [...unit("execution/resolver", "execution/execution"), ...worlds],
  },
  {
    fault: "a place that landed without an id is forgotten with the life that sent it",
    file: "src/bot/execution/resolver.ts",
    right: 'if (intent.command.kind === "place") sender.recalled(intent);',
    wrong: 'if (intent.command.kind !== "place") sender.recalled(intent);',
    tests: unit("execution/resolver"),
  },
  {
    fault: "missed trades that only together explain a position move it again (seed 73020)",
    file: "src/bot/feed/account/booking.ts",
    right: "firstThat(about, moved) ?? ",
    wrong: "",
    tests: unit("feed/orders/fills"),
  },
  {
    fault: "an order that a start finds and counts as ours is kept without its price and size",
    file: "src/bot/service/lifecycle/found-orders.ts",
    right: "desk.records.order(order);",
    wrong: "desk.records.order({ orderId: order.orderId, marketId: order.marketId, side: order.side });",
    tests: unit("service/lifecycle/found-orders"),
  },
  {
    fault: "what the last life's orders may have filled meanwhile counts for nothing (seed 73300)",
    file: "src/bot/service/lifecycle/found-orders.ts",
    right: "if (price === null || whole === null) return [];",
    wrong: "return [];",
    tests: unit("service/lifecycle/found-orders"),
  },
  {
    fault: "fills from before the first read leave an order that only the ledger knew as whole as it was",
    file: "src/bot/feed/orders/order-frames.ts",
    right: "known.order.nonce === null && !known.isRecalled",
    wrong: "known.order.nonce === null",
    tests: unit("feed/orders/last-fills"),
  },
  {
    fault: "the frame of a cancel ends an order that rested while nobody listened",
    file: "src/bot/feed/orders/order-frames.ts",
    right: "(isAfterFills && isNewer)",
    wrong: "isAfterFills",
    tests: unit("feed/orders/last-fills"),
  },
  {
    fault: "a machine's clock that is known to be wrong confirms wrong pongs",
    file: "src/bot/feed/market/chain-clock.ts",
    right: "const wall = chain.isWallOff ? null : chain.wallOffsetMs;",
    wrong: "const wall = chain.wallOffsetMs;",
    tests: unit("feed/market/chain-clock"),
  },
  {
    fault: "a lost answer frees the order's place in the books",
    file: "src/bot/feed/orders/order-states.ts",
    right: '    answerLost: "unknown",\n    declined: "ended",',
    wrong: '    answerLost: "ended",\n    declined: "ended",',
    tests: [...unit("feed/orders/order-states", "feed/orders/order-changes"), ...worlds],
  },
];

const money: readonly Named[] = [
  {
    fault: "a fill is applied each time it is told",
    file: "src/bot/feed/account/booking.ts",
    right: "  if (isBooked(account.book, fill.key)) return amendFill(account, fill);\n",
    wrong: "",
    tests: [...unit("feed/orders/fills"), property("feed-convergence"), ...worlds],
  },
  {
    fault: "a fill that is told again is booked again",
    file: "src/bot/accounting/account-book.ts",
    right: "const isKnown = !isNew(book, key);",
    wrong: "const isKnown = false;",
    tests: [...unit("accounting/market-book"), property("account-book")],
  },
  {
    fault: "a transfer that is told again is booked again",
    file: "src/bot/accounting/account-book.ts",
    right: "if (isNew(book, transferName(event.key))) foldTransfer(book, event);",
    wrong: "foldTransfer(book, event);",
    tests: [...unit("accounting/market-book"), property("account-book")],
  },
  {
    fault: "fills are booked in the order that they were heard of",
    file: "src/bot/accounting/market-book.ts",
    right: "return aMs === bMs ? a.key > b.key : aMs > bMs;",
    wrong: "return false;",
    tests: [...unit("accounting/market-book"), property("account-book")],
  },
  {
    fault: "a difference from the exchange is not believed, however long it lasts",
    file: "src/bot/feed/account/differences.ts",
    right: "    effects.push(...difference.believe());\n",
    wrong: "",
    tests: [...unit("feed/account/reconcile"), ...worlds],
  },
];

const halts: readonly Named[] = [
  {
    fault: "a halt acts without being written down",
    file: "src/bot/service/desks/account-desk.ts",
    right: "if (!this.#ledger.latch(event, wallMs))",
    wrong: "if (false)",
    tests: [...unit("service/desks/account-desk"), ...worlds],
  },
  {
    fault: "a halt that the disk does not take does not hold",
    file: "src/bot/service/desks/account-desk.ts",
    right: "    this.latches = foldLatch(this.latches, event);\n    this.#showLatches();\n  }\n\n  #showLatches",
    wrong: "    else this.latches = foldLatch(this.latches, event);\n    this.#showLatches();\n  }\n\n  #showLatches",
    tests: [...unit("service/desks/account-desk"), ...worlds],
  },
  {
    fault: "a restart forgets what was halted",
    file: "src/bot/service/desks/desks.ts",
    right: "const latches = latchesFrom(modules.ledger);",
    wrong: "const latches: Latches = latchesFrom(modules.ledger).slice(0, 0);",
    tests: [...unit("service/desks/account-desk", "service/loop/loop"), ...worlds],
  },
  {
    fault: "numbers that trip a latch trip none",
    file: "src/bot/service/loop/loop.ts",
    right: "    for (const latch of tripped) desk.trip(latch, this.#modules.clock.wallMs());\n",
    wrong: "",
    tests: [...unit("service/loop/loop"), ...worlds],
  },
  {
    fault: "a foreign order halts nothing",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: "if (desk !== undefined && !desk.isHalted())",
    wrong: "if (false)",
    tests: [...unit("service/loop/foreign-activity"), ...worlds],
  },
  {
    fault: "commands that the guard denied are sent",
    file: "src/bot/service/loop/turn.ts",
    right: "submit(verdict.approved);",
    wrong: "submit(commands as never);",
    tests: [...unit("service/loop/loop"), ...worlds],
  },
  {
    fault: "the guard has the last word on a ticket and is not heard",
    file: "src/bot/service/loop/loop.ts",
    right: "    const approved = this.judge(command)?.approved[0];\n",
    wrong: "    const approved = command as never;\n",
    tests: [...unit("service/loop/loop"), ...worlds],
  },
];

const silence: readonly Named[] = [
  {
    fault: "a daemon that cannot act is heard like any other (B2)",
    file: "src/bot/service/watchdog/account-watch.ts",
    right: "own.cancelsSucceed && own.keyLeftMs !== 0 ? own.answeredAgoMs : null",
    wrong: "own.answeredAgoMs === null ? null : 0",
    tests: unit("service/watchdog/watchdog"),
  },
  {
    fault: "the watchdog cancels without a last look at the heartbeat (B2)",
    file: "src/bot/service/watchdog/account-watch.ts",
    right: "    await lookAgain();\n",
    wrong: "",
    tests: unit("service/watchdog/watchdog"),
  },
  {
    fault: "a read that failed is an answer of the exchange (B2)",
    file: "src/bot/service/watchdog/ability.ts",
    right: 'kind === "executed" || kind === "refused" || kind === "rejected";',
    wrong: 'kind !== "notSent";',
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "a cancel that is on its way again is no longer wanted",
    file: "src/bot/service/watchdog/ability.ts",
    right: ' || state !== "working" || ',
    wrong: " || ",
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "a daemon whose cancel failed, and that wants the order again, is silent for its watchdog (seed 72183)",
    file: "src/bot/service/watchdog/ability.ts",
    right: "      failing.delete(orderId);\n",
    wrong: "",
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "a cancel without an answer fails on after everything of its market was canceled (seed 338552)",
    file: "src/bot/service/watchdog/ability.ts",
    right: "if (command.marketId === null || command.marketId === marketId) failing.delete(orderId);",
    wrong: "void [orderId, marketId];",
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "a CancelAllOrders of one market speaks for another",
    file: "src/bot/service/watchdog/ability.ts",
    right: "if (command.marketId === null || command.marketId === marketId) failing",
    wrong: "void marketId;\n        failing",
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "a watchdog that keeps an owner's order knows the daemon's by reads alone (seed 338173)",
    file: "src/bot/execution/lockless-cancel.ts",
    right: "new Set(options.named)",
    wrong: "new Set<OrderId>()",
    tests: unit("execution/mass-cancel"),
  },
  {
    fault: "a start forgets which orders the heartbeat named",
    file: "src/bot/service/watchdog/account-watch.ts",
    right: 'if (beat.phase !== "starting")',
    wrong: "if (true)",
    tests: unit("service/watchdog/watchdog"),
  },
  {
    fault: "a process that stood still is excused for what its watchdog did (B2)",
    file: "src/bot/service/watchdog/ability.ts",
    right: "if (stoodStill) known.ableMs = nowMs;",
    wrong: "",
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "what the watchdog canceled for a daemon that could not act halts it (B2)",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: " || this.#isOfTheWatchdog(effect)",
    wrong: "",
    tests: unit("service/loop/foreign-activity"),
  },
  {
    fault: "an inability that began after the order was gone explains its end (seed 66353)",
    file: "src/bot/service/watchdog/ability.ts",
    right: "goneMs < fromMs || ",
    wrong: "",
    tests: unit("service/watchdog/ability"),
  },
  {
    fault: "a tick that was known before the absence explains what went during it (seed 66254)",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: " || clearedMs < backMs",
    wrong: "",
    tests: unit("service/loop/foreign-activity"),
  },
  {
    fault: "an order that no list shows counts for ever (seed 67686)",
    file: "src/bot/feed/orders/order-list.ts",
    right: "Math.max(list.asOfMs, list.askedMs - list.landingBoundMs)",
    wrong: "list.asOfMs",
    tests: unit("feed/orders/order-changes"),
  },
  {
    fault: "an order that a list shows after its cancel was refused waits for the landing bound (seed 68587)",
    file: "src/bot/feed/orders/order-list.ts",
    right: "  record.mayBeOver = true;\n",
    wrong: "",
    tests: unit("feed/orders/order-changes"),
  },
  {
    fault: "the side that reduces is not quoted while canceled orders may have been filled (seed 65900)",
    file: "src/bot/service/loop/clip.ts",
    right: "{ ...quote, reduceOnly: true }",
    wrong: "quote",
    tests: unit("service/loop/clip"),
  },
  {
    fault: "a removed market is dropped before anything is confirmed (B3)",
    file: "src/bot/service/lifecycle/reload.ts",
    right: "  market?.drain();\n",
    wrong: "  desk.drop(marketId);\n",
    tests: ["test/simulation/removed-market.test.ts"],
  },
  {
    fault: "a removed market lets every other start over (B3)",
    file: "src/bot/service/lifecycle/bot.ts",
    right: "if (wanted.some(({ marketId }) => !this.#parts.state.streamed.has(marketId))) this.#openStream();",
    wrong: "if (this.#parts.state.streamed.size !== wanted.length) this.#openStream();",
    tests: ["test/simulation/removed-market.test.ts"],
  },
  {
    fault: "an order that may have been filled unseen is taken for canceled by another key (A4)",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: "!isTradedUnseen(account, away.backMs)",
    wrong: "true",
    tests: ["test/simulation/standstill.test.ts"],
  },
  {
    fault: "money of fills that nobody can show is an inflow or unexplained (A4)",
    file: "src/bot/feed/account/collateral.ts",
    right: "adopted: collateral.adopted ?? unseenIn(account),",
    wrong: "adopted: collateral.adopted,",
    tests: ["test/simulation/standstill.test.ts"],
  },
  {
    fault: "what our own CancelAllOrders named is another's once its frames are overdue (seed 7700102)",
    file: "src/bot/service/loop/own-cancels.ts",
    right: '    if (event.kind === "answered") this.#noteNamed(event.outcome);\n',
    wrong: "",
    tests: unit("service/loop/own-cancels"),
  },
  {
    fault: "dust counts as depth (C1)",
    file: "src/domain/depth.ts",
    right: "levels.filter(({ size }) => size * COUNTS_FROM >= depth),",
    wrong: "[...levels],",
    tests: ["test/unit/domain/depth.test.ts", ...unit("strategy/fair-value")],
  },
  {
    fault: "a side with less than an order of ours has a price (C1)",
    file: "src/domain/depth.ts",
    right: "    if (seen >= depth) return",
    wrong: "    return",
    tests: ["test/unit/domain/depth.test.ts", ...unit("strategy/fair-value")],
  },
  {
    fault: "equal prints in a row are certainty (C1)",
    file: "src/bot/strategy/nowcast.ts",
    right: "Math.max(DEVIATION_BPS.floor / 10_000, DEVIATION_OVER_MEDIAN * (all[all.length >> 1] ?? 0))",
    wrong: "DEVIATION_OVER_MEDIAN * (all[all.length >> 1] ?? 0)",
    tests: unit("strategy/nowcast"),
  },
  {
    fault: "a strategy sees a print in doubt (C2)",
    file: "src/bot/service/loop/turn.ts",
    right: "quote(strategy, atTrustedPrint(view, state.watch.prints))",
    wrong: "quote(strategy, view)",
    tests: [...unit("service/loop/turn"), ...worlds],
  },
  {
    fault: "a restart forgets which print is trusted (C2)",
    file: "src/bot/service/desks/market-desk.ts",
    right: "this.watch = { ...newWatch, prints: before.prints };",
    wrong: "this.watch = newWatch;",
    tests: [...unit("service/desks/account-desk"), "test/scenario/prices.test.ts"],
  },
  {
    fault: "every resume confirms a print in doubt (C2)",
    file: "src/bot/service/desks/account-desk.ts",
    right: 'if (lifted.latch === "printMove") {',
    wrong: "if (true) {",
    tests: [...unit("service/desks/account-desk"), "test/scenario/prices.test.ts"],
  },
  {
    fault: "the watchdog hears a heartbeat that does not move",
    file: "src/bot/service/watchdog/account-watch.ts",
    right: "beat.turns !== this.#newest?.turns",
    wrong: "true",
    tests: unit("service/watchdog/watchdog"),
  },
  {
    fault: "a daemon that has come up and not turned yet is taken for alive",
    file: "src/bot/service/watchdog/account-watch.ts",
    right: "beat.turns > 0 && ",
    wrong: "",
    tests: [...unit("service/watchdog/watchdog"), ...worlds],
  },
  {
    fault: "a heartbeat is told without a turn",
    file: "src/bot/service/lifecycle/bot.ts",
    right: "turns: this.#turns,\n",
    wrong: "turns: (this.#turns += 1),\n",
    tests: ["test/scenario/heartbeat.test.ts"],
  },
  {
    fault: "the watchdog stands down while orders rest",
    file: "src/bot/service/watchdog/account-watch.ts",
    right: "if (remaining.length > 0) {",
    wrong: "if (false) {",
    tests: unit("service/watchdog/watchdog"),
  },
  {
    fault: "a stop believes a single read that nothing rests",
    file: "src/bot/execution/mass-cancel.ts",
    right: "if (emptyReads === 2)",
    wrong: "if (emptyReads === 1)",
    tests: [...unit("execution/mass-cancel"), ...worlds],
  },
  {
    fault: "a stop ends while an order may still land",
    file: "src/bot/execution/mass-cancel.ts",
    right: "remaining.length > 0 || unresolved() > 0;",
    wrong: "remaining.length > 0;",
    tests: [...unit("execution/mass-cancel"), ...worlds],
  },
  {
    fault: "a stop believes a list that is older than our orders",
    file: "src/bot/execution/mass-cancel.ts",
    right: "[...listed, ...own()]",
    wrong: "[...listed]",
    tests: [...unit("execution/mass-cancel"), ...worlds],
  },
  {
    fault: "a read of the account is taken to be as new as the question",
    file: "src/bot/feed/account/newness.ts",
    right: "const provenMs = Math.max(byOrders, byFills, bySettlements(state, read));",
    wrong: "const provenMs = Math.max(askedMs, byOrders, byFills, bySettlements(state, read));",
    tests: [...unit("feed/account/reconcile"), ...worlds],
  },
  {
    fault: "a read refutes fills whose volume it lacks",
    file: "src/bot/feed/account/newness.ts",
    right: 'lead < -span ? "less" :',
    wrong: 'lead < -span ? "equal" :',
    tests: [...unit("feed/account/reconcile"), ...worlds],
  },
  {
    fault: "a read is believed of a position though volume that nobody knows may hide that it lacks our last fill",
    file: "src/bot/feed/account/reconcile.ts",
    right: "mayBeOlder: newness.mayLackFills &&",
    wrong: "mayBeOlder: false &&",
    tests: [...unit("feed/account/reconcile"), ...worlds],
  },
  {
    fault: "after an outage a position whose trades are gone is not believed for the landing bound (seed 86893)",
    file: "src/bot/feed/account/reconcile.ts",
    right: " && askedMs - changedMs <= READ_AGE_MAX_MS",
    wrong: "",
    tests: unit("feed/account/reconcile"),
  },
  {
    fault: "a trade that waits for its frame is dropped once the trades no longer reach back to it (seed 87123)",
    file: "src/bot/feed/orders/fills.ts",
    right: "[...pendingBefore(account, event), ...listed]",
    wrong: "listed",
    tests: unit("feed/orders/fills"),
  },
  {
    fault: "a trade that the trades should show and do not is booked",
    file: "src/bot/feed/orders/fills.ts",
    right: " && timestampMs <= oldestMs",
    wrong: "",
    tests: unit("feed/orders/fills"),
  },
  {
    fault: "an order whose id is learned late is taken to be gone since then (seed 86755)",
    file: "src/bot/feed/orders/order-changes.ts",
    right: "record.canceled?.goneMs ?? heard.goneMs ?? sinceMs",
    wrong: "record.canceled?.goneMs ?? sinceMs",
    tests: unit("feed/orders/order-changes"),
  },
  {
    fault: "whether a cancel of ours took an order is judged by when that is known (seed 86755)",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: "explains(accountId, order, this.#goneSinceMs(effect))",
    wrong: "explains(accountId, order, this.#modules.clock.monotonicMs())",
    tests: unit("service/loop/foreign-activity"),
  },
  {
    fault: "an order that went while the process stood still is taken to have gone when it was heard of (seed 91086)",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: "this.#absenceOf(effect)?.sinceMs ?? effect.goneMs",
    wrong: "effect.goneMs",
    tests: unit("service/loop/foreign-activity"),
  },
  {
    fault:
      "an order placed as soon as the process was back is taken for one that went while it stood still (seed 95436)",
    file: "src/bot/service/loop/foreign-activity.ts",
    right: "backChainMs - away.forMs / 2",
    wrong: "backChainMs",
    tests: unit("service/loop/foreign-activity"),
  },
  {
    fault: "cancels of a start count as orders, and short lives keep doubting what none of them placed (seed 90696)",
    file: "src/bot/ledger/sqlite/sql-reads.ts",
    right: " AND json_extract(command, '$.kind') IN ('place', 'modify')",
    wrong: "",
    tests: ["test/contract/ledger-store.test.ts"],
  },
  {
    fault: "only the newest absence is remembered (seed 86972)",
    file: "src/bot/service/loop/stall-detector.ts",
    right: "this.#absences.filter(({ backMs }) => absence.backMs - backMs <= ABSENCE_REMEMBERED_MS)",
    wrong: "[]",
    tests: unit("service/loop/stall-detector"),
  },
  {
    fault: "an old read that is newer than the start refutes the ledger's position, which it does not contradict",
    file: "src/bot/feed/account/position-range.ts",
    right: "!(isOlder && agrees)",
    wrong: "!isOlder",
    tests: unit("feed/account/reconcile"),
  },
  {
    fault: "an order whose cancel was refused before the process stood still went while it did",
    file: "src/bot/service/loop/stall-detector.ts",
    right: "monotonicMs >= sinceMs &&",
    wrong: "monotonicMs >= 0 &&",
    tests: unit("service/loop/stall-detector"),
  },
  {
    fault: "a print dated years ahead, read before chain time was known, makes every later print an older one",
    file: "src/bot/risk/prints.ts",
    right: "oracle.lastUpdateTimestampMs > chain.value.timeMs + AHEAD_MS_MAX",
    wrong: "oracle.lastUpdateTimestampMs < 0",
    tests: unit("risk/prints"),
  },
  {
    fault: "a difference that changes from read to read is believed before the trades were searched",
    file: "src/bot/feed/account/differences.ts",
    right: "(rounds >= ROUNDS_MAX && wasSearched)",
    wrong: "(rounds >= ROUNDS_MAX)",
    tests: unit("feed/account/reconcile"),
  },
  {
    fault: "a fill whose volume a read has shown counts again once it is known (seed 41129)",
    file: "src/bot/feed/account/booking.ts",
    right: "isInRead || mayBeShown(state, account, fill) ? explainVolume(account.volume, traded) : traded;",
    wrong: "traded;",
    tests: [...unit("feed/account/reconcile"), property("feed-convergence")],
  },
  {
    fault: "a position in doubt does not move with later fills (seed 76045)",
    file: "src/bot/feed/account/position-range.ts",
    right: "return { ...one, inventory, bought, sold: size(sold + filled) };",
    wrong: "return { ...one, inventory, bought, sold };",
    tests: unit("feed/orders/fills"),
  },
  {
    fault: "a start forgets the position that the ledger's fills add up to",
    file: "src/bot/feed/account/booking.ts",
    right: "book.isOpened ? [before, byFills] : []",
    wrong: "book.isOpened ? [before] : []",
    tests: unit("feed/orders/fills"),
  },
  {
    fault: "a position that a read shows counts once it is believed",
    file: "src/bot/feed/account/position-range.ts",
    right: "if (seen.inventory - seen.sold < low) low = seen.inventory - seen.sold;",
    wrong: "",
    tests: [...unit("feed/account/reconcile"), ...worlds],
  },
  {
    fault: "what an order may have filled before it was gone does not count",
    file: "src/bot/feed/account/position-range.ts",
    right: "high: size(high + bought)",
    wrong: "high: size(high)",
    tests: [...unit("feed/orders/order-changes"), ...worlds],
  },
  {
    fault: "a CancelAllOrders that cancels nothing clears, whichever account it acts on",
    file: "src/bot/feed/orders/own-commands.ts",
    right: "if (isAnyCanceled || !tracking.hasCancelAllReached) return;",
    wrong: "if (isAnyCanceled) return;",
    tests: [...unit("feed/orders/order-changes"), ...worlds],
  },
  {
    fault: "somebody's modify of our order, told on the stream, goes unnoticed",
    file: "src/bot/feed/orders/order-frames.ts",
    right: "!wasAsked(known, order)) suspect(",
    wrong: "!wasAsked(known, order) && false) suspect(",
    tests: [...unit("feed/orders/order-changes"), ...worlds],
  },
  {
    fault: "a late frame of a modify of ours is taken for somebody else's",
    file: "src/bot/feed/orders/order-frames.ts",
    right: "!wasAsked(known, order)) suspect(",
    wrong: "true) suspect(",
    tests: [...unit("feed/orders/order-changes"), ...worlds],
  },
  {
    fault: "a halt cancels what is not ours",
    file: "src/bot/execution/mass-cancel.ts",
    right: "kept = inScope.filter((order) => !isOurs(order));",
    wrong: "kept = [];",
    tests: [...unit("execution/mass-cancel"), "test/simulation/halts.test.ts"],
  },
  {
    fault: "a latch that trips by itself leaves its orders to the plan",
    file: "src/bot/service/desks/account-desk.ts",
    right: "    this.onTripped(latch);\n",
    wrong: "",
    tests: ["test/simulation/halts.test.ts"],
  },
  {
    fault: "a fence cancels what is not ours",
    file: "src/bot/execution/fence-market.ts",
    right: "if (!reaches(lost, foreignMarkets())) return lost;",
    wrong: "if (reaches(lost, new Set([lost ?? 0]))) return lost;",
    tests: [...unit("execution/mass-cancel"), "test/simulation/halts.test.ts"],
  },
  {
    fault: "facts of a dead connection count as fresh",
    file: "src/bot/feed/freshness.ts",
    right: "stream.connected && ageMs <= ages.streamMs",
    wrong: "true",
    tests: [...unit("feed/freshness"), ...worlds],
  },
  {
    fault: "a book of an older connection counts as today's",
    file: "src/bot/feed/freshness.ts",
    right: 'const current = stream.state === "fresh" && held.epoch === stream.value;',
    wrong: 'const current = stream.state === "fresh";',
    tests: [...unit("feed/freshness"), ...worlds],
  },
  {
    fault: "a print beyond its validity counts as active",
    file: "src/bot/feed/freshness.ts",
    right: "expired && value.status",
    wrong: "false && value.status",
    tests: [...unit("feed/freshness"), ...worlds],
  },
];

const limits: readonly Named[] = [
  {
    fault: "what other markets of the account hold and have just sent does not count",
    file: "src/bot/feed/account/funds.ts",
    right: "sumsOf(state, account).grossNotional.without(marketId)",
    wrong: "0n",
    tests: [property("account-sums"), "test/simulation/limits.test.ts"],
  },
  {
    fault: "what the owner loses in a market that is not configured does not count",
    file: "src/bot/service/desks/account-desk.ts",
    right: "this.#profits.sum + elsewhere",
    wrong: "this.#profits.sum",
    tests: ["test/simulation/limits.test.ts"],
  },
  {
    fault: "a withdrawal backs quotes until it is explained",
    file: "src/bot/feed/account/funds.ts",
    right: "told < expected ? told : expected",
    wrong: "expected",
    tests: [...unit("feed/account/funds"), "test/simulation/limits.test.ts"],
  },
  {
    fault: "a liquidation halts nothing",
    file: "src/bot/service/loop/effects.ts",
    right: 'kind: "liquidation", accountId, marketId: null, holds: "halted"',
    wrong: 'kind: "liquidation", accountId, marketId: null, holds: "reducing"',
    tests: ["test/simulation/halts.test.ts"],
  },
  {
    fault: "a clock that goes back begins another day",
    file: "src/bot/service/desks/day-tracker.ts",
    right: "Math.max(last.day, day ?? last.day)",
    wrong: "(day ?? last.day)",
    tests: [...unit("service/desks/day-tracker")],
  },
  {
    fault: "one clock a day ahead begins a day",
    file: "src/bot/service/desks/day-tracker.ts",
    right: "Math.min(chainTimeMs, wallMs)",
    wrong: "Math.max(chainTimeMs, wallMs)",
    tests: [...unit("service/desks/day-tracker"), "test/simulation/limits.test.ts"],
  },
  {
    fault: "a larger value is looser, whatever it means",
    file: "src/bot/risk/limits/limits.ts",
    right: 'looser === "higher" ? wanted > running : wanted < running',
    wrong: "wanted > running",
    tests: [...unit("risk/limits/limits", "service/lifecycle/reload")],
  },
  {
    fault: "a row that the book may still reorder is archived",
    file: "src/bot/ledger/fold-old.ts",
    right: ".filter((key) => !left.has(key))",
    wrong: "",
    tests: [...unit("ledger/sqlite/archive"), property("opening-balance")],
  },
  {
    fault: "the opening balance forgets what was booked before it",
    file: "src/bot/ledger/fold-old.ts",
    right: "const book = openedWith([before]);",
    wrong: "const book = openedWith([]);",
    tests: [property("opening-balance")],
  },
  {
    fault: "a full disk keeps its reserve",
    file: "src/bot/ledger/batch.ts",
    right: " && !(this.#engine.useReserve() && this.#attempt(write))",
    wrong: "",
    tests: [...unit("ledger/batch"), "test/simulation/limits.test.ts"],
  },
];

/** What one wrong word on the time, the height or the name of an order does where it is believed. */
const words: readonly Named[] = [
  {
    fault: "pongs are believed alone",
    file: "src/bot/feed/market/chain-clock.ts",
    right: "const agreed = [pongs, kept].find((one) => agrees(one, node) || agrees(one, wall));",
    wrong: "const agreed = pongs ?? kept ?? undefined;",
    tests: [...unit("feed/market/chain-clock"), ...worlds],
  },
  {
    fault: "the largest offset counts",
    file: "src/bot/feed/market/chain-clock.ts",
    right: "return offsets[Math.ceil(offsets.length / 2) - 1] ?? null;",
    wrong: "return offsets.at(-1) ?? null;",
    tests: [...unit("feed/market/chain-clock", "feed/freshness"), ...worlds],
  },
  {
    fault: "a lagging replica is taken for a chain that began again",
    file: "src/bot/feed/market/chain-clock.ts",
    right: "receivedMs - lower.sinceMs < RESTART_MS",
    wrong: "false",
    tests: [...unit("feed/market/chain-clock"), ...worlds],
  },
  {
    fault: "a chain that began again is never believed",
    file: "src/bot/feed/market/chain-clock.ts",
    right: 'return [{ kind: "chainRestarted", before, height }];',
    wrong: "return noEffects;",
    tests: [...unit("feed/market/chain-clock"), ...worlds],
  },
  {
    fault: "a nonce of a wrong clock is the base of the next",
    file: "src/bot/execution/nonces.ts",
    right: "if (isWrong || !this.#known) {",
    wrong: "if (!this.#known) {",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
  {
    fault: "a time that trusted time does not bound is written down",
    file: "src/bot/execution/nonces.ts",
    right: "chain === null ? this.#loose() : this.#issue(this.#next(chain))",
    wrong: "chain === null ? this.#issue(this.#now(null)) : this.#issue(this.#next(chain))",
    tests: [...unit("execution/nonces"), property("nonce-allocator"), ...worlds],
  },
  {
    fault: "a nonce refusal is told nowhere",
    file: "src/bot/execution/nonces.ts",
    right: "return this.#clock.monotonicMs() - this.#refused.sinceMs < MOMENT_MS ? null : this.#refused.facts;",
    wrong: "return null;",
    tests: [...unit("execution/nonces")],
  },
  {
    fault: "a time that was rejected is tried for ever",
    file: "src/bot/execution/stamps.ts",
    right: 'else if (kind === "rejected" && this.#differ()) this.#rejected = by;',
    wrong: "else this.#rejected = null;",
    tests: [...unit("execution/stamps")],
  },
  {
    fault: "frames ahead of an answer without a name are forgotten",
    file: "src/bot/feed/orders/own-commands.ts",
    right: "    claimHeard(tracking);\n",
    wrong: "",
    tests: [...unit("feed/orders/unnamed-answers"), ...worlds],
  },
  {
    fault: "an order that nobody named stays unknown",
    file: "src/bot/execution/resolver.ts",
    right: "if (clock.monotonicMs() >= untilMs) return this.take(attempt);",
    wrong: "if (clock.monotonicMs() >= untilMs) return;",
    tests: [...unit("execution/resolver"), ...worlds],
  },
];

const named: readonly Named[] = [
  ...guard,
  ...sending,
  ...nonces,
  ...words,
  ...doubt,
  ...money,
  ...halts,
  ...silence,
  ...limits,
];

/** Throws where a source no longer says what a fault is written against. */
export const namedMutants = (root: string): readonly Mutant[] =>
  named.map(({ fault, file, right, wrong, tests }) => {
    const text = readFileSync(resolve(root, file), "utf8");
    const start = text.indexOf(right);
    if (start < 0 || text.indexOf(right, start + 1) >= 0) {
      throw new Error(`the mutant "${fault}" is written against what ${file} does not say exactly once: ${right}`);
    }
    const [, , area = ""] = file.split("/");
    return { subject: area, what: fault, file, start, end: start + right.length, text: wrong, tests };
  });
