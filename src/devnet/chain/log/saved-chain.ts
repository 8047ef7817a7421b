// A chain as one text, for an exchange that keeps no log: its genesis, its head and the state there. It goes on from the text as if the
// time between had been one long block.

import { sha256Hex } from "../../../kernel/hash.ts";
import { parsedText, textOf } from "../../accounts/table.ts";
import type { Block } from "../block.ts";
import { createBlockMaker } from "../block-maker.ts";
import { backstopOf, type Genesis } from "../genesis.ts";
import { type ChainState, createState, type StateSnapshot, saveState } from "../state.ts";
import { StoreError } from "./disk.ts";
import { checkSame, type Standing, type StandingModules } from "./resume.ts";

type Saved = { readonly genesis: Genesis; readonly head: Block; readonly state: StateSnapshot };

const HASH_DIGITS = 64;
/** More orders than are placed between two saves: their numbers are not given again. */
const NUMBERS_SKIPPED = 1_000_000;

/** To be asked between two blocks. */
export function saveChain(genesis: Genesis, head: Block, state: ChainState): string {
  const text = textOf({ genesis, head, state: saveState(state, head.timeMs) } satisfies Saved);
  return `${sha256Hex(text)}\n${text}`;
}

/** Throws StoreError: `damaged` where the text is not as it was written, `other_configuration` where it is of another chain. */
export function standAtSaved(
  text: string,
  expected: Genesis,
  { publish }: Pick<StandingModules, "publish">,
  areNamed: boolean,
): Standing {
  const content = text.slice(HASH_DIGITS + 1);
  if (sha256Hex(content) !== text.slice(0, HASH_DIGITS))
    throw new StoreError("damaged", "the saved chain is not as it was written");
  const { genesis, head, state: saved } = parsedText(content) as Saved;
  if (genesis.version !== expected.version)
    throw new StoreError("other_version", "the saved chain is of another version of quoin");
  checkSame(expected, genesis);
  const engine = { ...saved.engine, lastOrderId: saved.engine.lastOrderId + NUMBERS_SKIPPED };
  const state = createState(genesis.config, backstopOf(genesis), { ...saved, engine });
  return { genesis, state, maker: createBlockMaker({ head, ...genesis.config, areNamed }, { state, publish }) };
}
