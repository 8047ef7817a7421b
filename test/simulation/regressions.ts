// Seeds that once broke a law, each with what was wrong, the newest last. The list only grows.

import { expect, test } from "vitest";
import { faultLine } from "../../src/sim/faults/fault.ts";
import { runWorld } from "../../src/sim/run.ts";

type Regression = {
  readonly seed: bigint;
  /** Of the world, 10 unless said. */
  readonly minutes?: number;
  readonly wrong: string;
};

export const regressions: readonly Regression[] = [
  { seed: 2n, wrong: "a machine that slept quoted on facts that were 50 s old" },
  { seed: 14n, wrong: "a machine that slept placed before it had read its account" },
  { seed: 52n, wrong: "a machine that slept, under lost answers" },
  { seed: 7n, wrong: "what changed while the bot was down was booked nowhere" },
  { seed: 100n, wrong: "a settlement told during a read of the account was taken for seen, and halted the account" },
  { seed: 29n, wrong: "a fill between a crash and the answer that would have named its order" },
  { seed: 1n, wrong: "an order without a name, canceled half filled after a restart, kept its fills to itself" },
  { seed: 110n, wrong: "the name of an order was told, and died with the process that had heard it" },
  { seed: 213n, wrong: "no snapshot after a reconnect in a quiet market: the book stayed stale" },
  { seed: 283n, wrong: "no snapshot after a reconnect, after a channel was lost" },
  { seed: 384n, wrong: "another's order of the same shape was taken for one that a crash had left without a name" },
  {
    seed: 568n,
    wrong: "a cancel of an earlier life landed late, and the order it took was taken for a stranger's deed",
  },
  { seed: 113n, wrong: "an order placed after the process was back was taken for canceled while it was away" },
  { seed: 1389n, wrong: "money was told as unexplained before the trades that explain it could be read" },
  { seed: 451n, wrong: "a canceled order whose last trade was known and its fill swallowed no longer counted" },
  { seed: 976n, wrong: "the status of a read that a print overtook was passed over" },
  {
    seed: 1517n,
    wrong: "an answer that was lost, and that no fence could reach, kept its market from being quoted for five minutes",
  },
  { seed: 1487n, wrong: "a wait for less than a clock can tell, again and again: time stood still" },
  {
    seed: 5019n,
    wrong: "a daemon whose refused cancels had lost their order was judged as one that still could not act",
  },
  { seed: 6064n, wrong: "a daemon whose key could act again was judged as one that still could not" },
  {
    seed: 5024n,
    wrong:
      "orders that the exchange cleared for another tick, and no frame told of it, were taken for a stranger's deed",
  },
  { seed: 6293n, wrong: "a process that stood still while it started did not know it, and quoted at once" },
  {
    seed: 8119n,
    wrong: "a wrong print, said again a second later, shortened the interval that a second opinion waits for",
  },
  { seed: 8123n, wrong: "pongs that lag and a clock that was set back agreed on a wrong time" },
  {
    seed: 167n,
    wrong: "wrong prints, refuted one after the other, widened the collar that should have stood against them",
  },
  { seed: 3103n, wrong: "a cancel that failed counted as failing after another one had taken its order" },
  {
    seed: 41129n,
    wrong: "volume that a read had shown before its fills were known was counted twice, and no later read was as new",
  },
  {
    seed: 41013n,
    wrong:
      "canceled orders that might have been filled left no room for a whole order, and only an order of ours could have proven that they were not",
  },
  {
    seed: 41457n,
    wrong:
      "a frame named an order by an id that no transaction can carry, and the next start threw when it canceled it",
  },
  {
    seed: 43312n,
    wrong:
      "orders that only reduce brought the position back to flat, and what was added beside them went over the limit",
  },
  {
    seed: 43353n,
    wrong:
      "a reload began before the one before it had ended: the market that it brought back was removed by the other",
  },
  {
    seed: 50473n,
    wrong:
      "an order whose modify was never answered rested on after quotes were pulled, since no fence could resolve it beside an order of the owner",
  },
  {
    seed: 55031n,
    wrong:
      "funding was paid while the daemon was down, the first read after the start was older, and the money missing in later ones halted it",
  },
  {
    seed: 56253n,
    wrong:
      "an order that a watchdog canceled during a stall was proven gone after the stall was forgotten, and the daemon did not halt",
  },
  {
    seed: 61112n,
    wrong:
      "canceled orders that no answer had named blocked a market until the landing bound, though public trades had proven that none had filled",
  },
  {
    seed: 61326n,
    wrong:
      "the first read of a life was older than the ledger: a fill moved the position as read and not the ledger's, and more was sold than the limit allows",
  },
  {
    seed: 61415n,
    wrong:
      "a fill found in the trades was priced at nothing by a read from before it, and the money missing in later reads halted the account",
  },
  {
    seed: 61459n,
    wrong:
      "a watchdog canceled an order during a stall, the daemon woke and modified it before it heard of that, and did not halt",
  },
  {
    seed: 62732n,
    wrong: "a daemon whose stream had lost the watchdog's cancel was judged as one that had heard of it",
  },
  {
    seed: 63215n,
    wrong: "after a sleep of five seconds the time from before it agreed with a wall clock that was four seconds late",
  },
  {
    seed: 63292n,
    wrong:
      "a print heard on waking was taken for as old as the sleep, and a second publication a moment later confirmed it",
  },
  {
    seed: 63848n,
    wrong:
      "an old read listed an order whose cancel had been refused, and reads newer than the refusal could not end it: its place stayed empty",
  },
  {
    seed: 64582n,
    wrong:
      "frames that came before the timer noticed a sleep were acted on, and a modify that was rejected for its old time hid a watchdog's cancel",
  },
  {
    seed: 65900n,
    wrong:
      "asks whose cancels no frame confirmed left no room in maxPosition: at the full position nothing was quoted, though an ask that reduces only adds nothing",
  },
  {
    seed: 66254n,
    wrong:
      "a tick that was known to be another before the machine slept explained orders that a watchdog canceled during the sleep",
  },
  {
    seed: 66353n,
    wrong:
      "a daemon that could not act for a moment took orders for the watchdog's that were gone before that, and did not halt",
  },
  {
    seed: 67686n,
    wrong:
      "an owner's order in another market, of which one frame told and no list, counted for ever without a price of its market: nothing was quoted",
  },
  {
    seed: 68587n,
    wrong:
      "an old read at the start listed orders that a stop had canceled: their cancels were refused, and still they held their places for the landing bound",
  },
  {
    seed: 68833n,
    wrong:
      "node info that was late and a clock that was set back agreed on a wrong time while pongs were wrong: no bot can tell",
  },
  {
    seed: 69358n,
    wrong: "quotes were asked for in a market whose book stood further from the print than the collar allows",
  },
  {
    seed: 69514n,
    wrong:
      "reads that were late showed a key that could not act yet: the watchdog canceled, and was judged as if the daemon could know better",
  },
  {
    seed: 70264n,
    wrong: "wrong pongs agreed by chance with a machine's clock that was known to be wrong, and were believed",
  },
  {
    seed: 70802n,
    wrong: "a reduce-only sell was blamed for buys that rested beside it",
  },
  {
    seed: 70277n,
    wrong: "answers to the resolver's reads were no answers for a heartbeat, and the watchdog canceled too early",
  },
  {
    seed: 72183n,
    wrong: "cancels that failed, of orders that were wanted again, were an inability for as long as these rested",
  },
  {
    seed: 72939n,
    wrong: "an edit of the configuration during the start was not kept for it, as the command line keeps it",
  },
  {
    seed: 73020n,
    wrong: "fills of around the first read that explained its position only together were taken for later ones",
  },
  {
    seed: 73781n,
    wrong: "quotes were asked for where forgotten orders left no room under a lowered limit",
  },
  {
    seed: 74396n,
    wrong:
      "an account read that another had overtaken was held against the bot: the key it showed had been approved since",
  },
  {
    seed: 73300n,
    wrong:
      "what orders of the last life had filled meanwhile was known to no read yet, and to no range of the position",
  },
  {
    seed: 74541n,
    wrong: "the bot was to say why it did not quote before it could know that its watchdog had taken its orders",
  },
  {
    seed: 76045n,
    wrong:
      "each of several short lives began with an old read, and the last forgot that the ledger's fills said otherwise",
  },
  {
    seed: 78056n,
    wrong:
      "how fills were rounded was no longer allowed for once an old read had agreed by chance, and the account halted",
  },
  {
    seed: 78312n,
    wrong: "the network's faults were not seen while the bot was coming up, and what they had swallowed was its fault",
  },
  {
    seed: 78863n,
    wrong: "volume whose fills the trades had shown since passed for unknown, and no watchdog's cancel was noticed",
  },
  {
    seed: 70807n,
    wrong:
      "the frame of a cancel ended an order of an earlier life, of whose fill in between no frame told and reads were too old",
  },
  {
    seed: 74836n,
    wrong: "volume that nobody knew hid that an old read lacked our last fill, and the position was taken from it",
  },
  {
    seed: 80247n,
    wrong:
      "an order of which a power loss had left neither name nor intent was to be known again once a frame named it",
  },
  {
    seed: 81688n,
    wrong:
      "a reload that was refused while the clock was wrong was never repeated, and the market that it added stayed away",
  },
  {
    seed: 82027n,
    wrong: "a life shorter than the time between two looks counted as silence, and the watchdog as late",
  },
  {
    seed: 82834n,
    wrong: "an order of which the cancel was refused before the process stood still was taken for canceled meanwhile",
  },
  {
    seed: 83556n,
    wrong: "an old read, newer than the first, refuted the ledger's position though it spoke for that one",
  },
  {
    seed: 83685n,
    wrong:
      "a read with more volume was not believed for the landing bound, though no fill of ours could be missing from it",
  },
  {
    seed: 84932n,
    wrong:
      "senseless answers did not count as answers, and the watchdog canceled everything of a daemon that got no other",
  },
  {
    seed: 83707n,
    wrong: "a print dated years ahead, read before chain time was known, made every later print an older one",
  },
  {
    seed: 86755n,
    wrong: "an order whose id was learned late was judged by then, when our own CancelAllOrders could no longer land",
  },
  {
    seed: 86893n,
    wrong:
      "after an outage it took the landing bound to believe a position whose fills the public trades no longer listed",
  },
  {
    seed: 86957n,
    wrong: "a sleep that the wall clock hid, set back meanwhile, was to be noticed at once",
  },
  {
    seed: 86972n,
    wrong:
      "of two absences in a row only the second was remembered, and what the watchdog did in the first was no news",
  },
  {
    seed: 87123n,
    wrong: "a trade of ours that waited for its frame was dropped once the public trades no longer reached back to it",
  },
  {
    seed: 87308n,
    wrong: "the last heartbeat of a daemon that died was taken to know of answers that came after it",
  },
  {
    seed: 89183n,
    wrong: "a daemon that was cut from the exchange was to know that its key may act again before it could read that",
  },
  {
    seed: 90696n,
    wrong:
      "the cancels of each short life were taken for orders that its list may lack, and a flat market stayed closed",
  },
  {
    seed: 91086n,
    wrong: "a CancelAllOrders that landed while the process stood still explained nothing when that was heard of",
  },
  {
    seed: 91872n,
    wrong: "a daemon was to halt by the proof of an order that no answer had named",
  },
  {
    seed: 93724n,
    wrong: "a daemon was to halt by the proof of an order before its late reads could show that order",
  },
  {
    seed: 94117n,
    wrong: "a restored daemon was to know of an order that its lost records had sent, and that landed late",
  },
  {
    seed: 95436n,
    wrong: "an order placed as soon as the process was back was taken for one that went while it stood still",
  },
  {
    seed: 98241n,
    wrong: "an order that was executed brought the twentieth answer, and quoting paused for refusals that were over",
  },
  {
    seed: 210613n,
    minutes: 4,
    wrong:
      "reads from before a settlement that came after a newer one halted the account for money that was not missing",
  },
  {
    seed: 211228n,
    minutes: 4,
    wrong:
      "the law: a daemon that could not act as it came back takes that for the reason why the watchdog canceled, and goes on",
  },
  {
    seed: 300434n,
    minutes: 4,
    wrong:
      "the height went back for ten seconds, in which no read of the account was taken up; orders left by the read from before, of a key that had been revoked",
  },
  {
    seed: 301896n,
    minutes: 4,
    wrong:
      "the law: cancels that a machine had on their way as it fell asleep are given up, and sent again, in the time that it is awake",
  },
  {
    seed: 304235n,
    minutes: 4,
    wrong: "the law: a daemon whose cancels cannot leave, while senseless answers to its reads come, cannot act",
  },
  {
    seed: 307774n,
    minutes: 4,
    wrong:
      "the law: a cancel that failed once, of an order that is wanted again, does not make a daemon unable for good",
  },
  {
    seed: 307791n,
    minutes: 4,
    wrong: "the law: what a start counts of earlier orders may use up the limit on both sides until the landing bound",
  },
  {
    seed: 309233n,
    minutes: 4,
    wrong: "the law: a daemon that could not act as its machine fell asleep wakes knowing that",
  },
  {
    seed: 310708n,
    minutes: 4,
    wrong:
      "the law: of an order that a second daemon with the same key placed alike at the same time nobody can tell whose it is",
  },
  {
    seed: 317575n,
    minutes: 4,
    wrong:
      "a read that shows an order has every fill that was received as that order was asked for: money was booked late for as long as fills came",
  },
  {
    seed: 322939n,
    minutes: 4,
    wrong: "the law: what may be left of orders that have ended may use up a lowered limit until the landing bound",
  },
  {
    seed: 323318n,
    minutes: 4,
    wrong: "the law: three settlements added up to nothing, and no read tells which of them it has",
  },
  {
    seed: 329686n,
    minutes: 4,
    wrong: "the law: what a new tick cleared may use up the limit on both sides until the landing bound",
  },
  {
    seed: 337558n,
    minutes: 4,
    wrong: "a wide book seen before a print counted for a minute without a look after it: quotes two percent from fair",
  },
  {
    seed: 338552n,
    minutes: 4,
    wrong: "a cancel without an answer counted as failing after everything of its market had been canceled",
  },
  {
    seed: 338173n,
    minutes: 4,
    wrong: "a watchdog that had to keep an owner's order canceled what late reads listed, and nothing that rested",
  },
  {
    seed: 346384n,
    minutes: 4,
    wrong: "five wrong prints of the first eleven made a collar of nine percent",
  },
  {
    seed: 347178n,
    minutes: 4,
    wrong: "a reduction that was sent again, and whose answer named no order, was never resolved",
  },
  {
    seed: 349496n,
    minutes: 4,
    wrong: "the world: two transactions shared a nonce, so that the dust of a walked book was never canceled",
  },
  {
    seed: 351182n,
    minutes: 4,
    wrong: "orders whose cancels nobody answered, and that reads lacked, were taken to rest for a minute",
  },
  {
    seed: 353824n,
    minutes: 4,
    wrong: "the law counted the silence from the first cancel that failed, the watchdog from the last answer before it",
  },
  {
    seed: 354206n,
    minutes: 4,
    wrong: "after a sleep a late read without fills that trades had shown took the place of the position",
  },
  {
    seed: 354339n,
    minutes: 4,
    wrong: "the law expected a copy of the ledger to have a halt that a failing disk had not written",
  },
  {
    seed: 357164n,
    minutes: 4,
    wrong: "a life that began with a late read took for resting what its own ledger called over",
  },
  {
    seed: 357836n,
    minutes: 4,
    wrong: "the law did not count a print with an old time and another price, which a later print confirmed",
  },
  {
    seed: 364300n,
    minutes: 4,
    wrong: "the law did not grant the landing bound where an order rested that the ledger had lost with the power",
  },
  {
    seed: 372474n,
    minutes: 4,
    wrong:
      "orders that only reduce, and that a throttle had made wait, left after a stop had confirmed that nothing rests",
  },
  {
    seed: 378033n,
    minutes: 4,
    wrong: "the law did not grant time to cancel an order that landed late, while quotes were forbidden",
  },
  {
    seed: 381350n,
    minutes: 4,
    wrong:
      "the law expected a daemon that slept to tell canceled orders from filled ones, although the owner had traded beside it",
  },
  {
    seed: 381575n,
    minutes: 4,
    wrong: "after a sleep a fill of trades was taken to be of the future, and no read agreed until then",
  },
  {
    seed: 382438n,
    minutes: 4,
    wrong: "a read that lacked our last fill was taken to have it, once it was believed in another market",
  },
  {
    seed: 385294n,
    minutes: 4,
    wrong: "the law counted the time of a sleep since the daemon knew that it could not act",
  },
  {
    seed: 391634n,
    minutes: 4,
    wrong: "the law expected a watchdog that had stood down to know of a daemon that it never heard",
  },
  {
    seed: 394024n,
    minutes: 4,
    wrong: "fills of the three seconds that the first read was away were counted beside it, for the landing bound",
  },
  {
    seed: 396780n,
    minutes: 4,
    wrong: "a fill of before the first read was counted beside it: the first trades were of a node 3.7 s behind",
  },
  {
    seed: 397377n,
    minutes: 4,
    wrong: "after fills that nobody showed no read was believed while fills of ours went on, since each might lack one",
  },
  {
    seed: 402823n,
    minutes: 4,
    wrong: "the law expected a fence beside an order of a second daemon's, which it would have canceled",
  },
  {
    seed: 402977n,
    minutes: 4,
    wrong: "the law expected a daemon to learn of its key from reads of a chain that went on at a lower height",
  },
  {
    seed: 415853n,
    minutes: 4,
    wrong: "the law expected a restart to know of a halt that the disk had refused until the process died",
  },
  {
    seed: 430376n,
    minutes: 4,
    wrong: "the law counted an answer with which a cancel left and failed, before any heartbeat could tell of it",
  },
  {
    seed: 429523n,
    minutes: 4,
    wrong:
      "the law expected a daemon to know of another tick, which cleared the book unheard and was gone before it woke",
  },
  {
    seed: 412332n,
    minutes: 4,
    wrong:
      "two refusals 20 s after an outage paused the market, since most of the minute had failed: orders went through again",
  },
  {
    seed: 435127n,
    minutes: 4,
    wrong:
      "one modify that lost the race against a fill paused a market: a book full of dust had refused most of a minute",
  },
  {
    seed: 436427n,
    minutes: 4,
    wrong:
      "the law expected a daemon that had missed a fill while it stood still to know that another order was canceled",
  },
  {
    seed: 409782n,
    minutes: 4,
    wrong:
      "the law expected fills of forgotten orders, from while the bot was down, to be known before a read showed them",
  },
  {
    seed: 427920n,
    minutes: 4,
    wrong:
      "a second daemon's order was taken for one that only reduces, sent without an answer, and moved when nothing may add",
  },
  {
    seed: 414266n,
    minutes: 4,
    wrong: "heights of before the chain went on at a lower one made its blocks long, and the clock's limit wide",
  },
  {
    seed: 421941n,
    minutes: 4,
    wrong:
      "fills of the ledger that the first read lacked were taken for unknown ones, and no later read was believed beside ours",
  },
  {
    seed: 424287n,
    minutes: 4,
    wrong: "an order whose answer was lost, modified by a second daemon before it was listed, was taken for another's",
  },
  {
    seed: 408100n,
    minutes: 4,
    wrong: "a second daemon's orders, taken for ours whose answers were lost, stood as proof that ours had landed",
  },
  {
    seed: 423355n,
    minutes: 4,
    wrong: "on an account known to be shared an order that looked like ours stood as proof that ours had landed",
  },
  {
    seed: 453056n,
    minutes: 4,
    wrong: "a read that `{}` passes for, of a broken proxy's, told the watchdog that the exchange answered its daemon",
  },
  {
    seed: 451036n,
    minutes: 4,
    wrong: "only the first answer to a repeated account read was folded: a later one showed that the key was revoked",
  },
  {
    seed: 460354n,
    minutes: 4,
    wrong: "the law expected a daemon to know of a tick that had come back 200 ms before it stood still",
  },
  {
    seed: 459099n,
    minutes: 4,
    wrong: "a canceled order ended although the answer to its modify showed a fill whose frame was lost",
  },
  {
    seed: 466080n,
    minutes: 4,
    wrong: "a daemon that stood still after it knew that it could not act halted for what its watchdog had done before",
  },
  {
    seed: 471449n,
    minutes: 4,
    wrong:
      "a daemon that came back from a standstill halted for orders that a tick had cleared, which came back before its first read",
  },
  {
    seed: 479491n,
    minutes: 4,
    wrong:
      "the laws gave a daemon no time after a reload to place its orders before it had to say that it was not ready",
  },
  {
    seed: 484746n,
    minutes: 4,
    wrong:
      "a fill of two seconds before the first read counted as part of it, though the node that answered was behind",
  },
  {
    seed: 485781n,
    minutes: 4,
    wrong:
      "the laws asked a daemon to pull an order that no answer named and of which a second daemon had placed a copy",
  },
  {
    seed: 487831n,
    minutes: 4,
    wrong: "a daemon whose machine had slept told the watchdog that the exchange had answered a moment ago",
  },
  {
    seed: 488469n,
    minutes: 4,
    wrong:
      "the laws asked a daemon to cancel an order that no answer named and of which a second daemon placed a copy six seconds later",
  },
  {
    seed: 495126n,
    minutes: 4,
    wrong:
      "a reduce-only order was filled unseen, a late read listed it, and it counted neither as filled nor as an addition",
  },
  {
    seed: 508468n,
    minutes: 4,
    wrong: "the laws missed an order that was placed and filled between two of their looks",
  },
  {
    seed: 349n,
    minutes: 5,
    wrong:
      "reads from before a fill that a frame had told were adopted, since no transaction of ours had changed anything",
  },
  {
    seed: 600159n,
    minutes: 4,
    wrong:
      "an order stamped ahead by a wrong clock, its answer lost beside the owner's stop: closed until that time had come",
  },
  {
    seed: 610002n,
    minutes: 4,
    wrong:
      "what a lost place might have become, long after its market was cleared, was an order of the owner's, and went with ours",
  },
];

const MINUTES = 10;
/** A world takes seconds of a core, and some a minute of a starved one. */
const WORLD_MS_MAX = 300_000;

/** One test a seed: no law is broken there any more. */
export function holdsInSeeds(seeds: readonly Regression[]): void {
  for (const { seed, minutes = MINUTES, wrong } of seeds) {
    test(`seed ${seed}: ${wrong}`, { timeout: WORLD_MS_MAX }, async () => {
      const { violation, faults, lines } = await runWorld({ seed, minutes });
      const story = [
        `npx quoin simulate --seeds 1 --seed ${seed} --minutes ${minutes}`,
        ...faults.map(faultLine),
        ...lines.slice(-20),
      ];
      expect(violation, story.join("\n")).toBeNull();
    });
  }
}
