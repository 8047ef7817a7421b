// A chain as one text, for an exchange without a log: its genesis, head and state. A chain that resumes from it continues as if the time
// between were one long block.

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
/** Order ids skipped on resume, more than are used between two saves, so that no id is assigned twice. */
const NUMBERS_SKIPPED = 1_000_000;

/** Call between two blocks. */
export function saveChain(genesis: Genesis, head: Block, state: ChainState): string {
  const text = textOf({ genesis, head, state: saveState(state, head.timeMs) } satisfies Saved);
  return `${sha256Hex(text)}\n${text}`;
}

/**
 * Throws StoreError: `damaged` if the text is not as it was written, `other_version` or `other_configuration` if it is from another version
 * or chain.
 */
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
