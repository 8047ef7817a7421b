// The questions of `quoin init`, each with its reason, its default, and the answers that it refuses.

import { httpUrl } from "../../bot/config/schema.ts";

/** Answers by question, as typed. */
export type Answers = Readonly<Partial<Record<QuestionKey, string>>>;

export const questionKeys = [
  "validatorUrl",
  "chainId",
  "account",
  "market",
  "strategy",
  "maxPosition",
  "maxOrderSize",
  "maxLoss",
] as const;
export type QuestionKey = (typeof questionKeys)[number];

export type Question = {
  readonly explain: string;
  readonly prompt: string;
  /** Undefined: there is no safe default, so an answer is required. */
  readonly otherwise: (known: Answers) => string | undefined;
  readonly refused: (answer: string, known: Answers) => string | undefined;
};

export const offeredStrategies = ["glft", "fixed-spread"] as const;

const isNumber = (answer: string): boolean => /^\d{1,12}(\.\d{1,6})?$/.test(answer) && Number(answer) > 0;
const number = (unit: string) => (answer: string) => (isNumber(answer) ? undefined : `a number of ${unit} above zero`);
const whole = (most: bigint, what: string) => (answer: string) =>
  /^\d{1,20}$/.test(answer) && BigInt(answer) <= most ? undefined : what;
const anything = (): undefined => undefined;

/** A tenth, with as many decimals as a size may have. */
const tenth = (written: string | undefined): string | undefined =>
  written === undefined || !isNumber(written) ? undefined : `${Number((Number(written) / 10).toFixed(6))}`;

/** `seenChainId`: the chain id that the exchange reports. Undefined: it does not answer. */
export const questions = (seenChainId: (known: Answers) => string | undefined): Record<QuestionKey, Question> => ({
  validatorUrl: {
    explain: "The validator's address. Quoin trades over its HTTP and WebSocket.",
    prompt: "validator URL",
    otherwise: () => "http://127.0.0.1:18080",
    refused: (answer) =>
      httpUrl.safeParse(answer).success ? undefined : "an http or https URL without user, password and query",
  },
  chainId: {
    explain: "Every transaction is signed for one chain. Quoin sends nothing to another one.",
    prompt: "chain id",
    otherwise: seenChainId,
    refused: anything,
  },
  account: {
    explain: "The account, or subaccount, that the bot trades. Give it one of its own.",
    prompt: "account id",
    otherwise: () => undefined,
    refused: whole(2n ** 64n - 1n, "a whole number"),
  },
  market: {
    explain: "The market that is quoted first. More can be added to the file.",
    prompt: "market id",
    otherwise: () => "1",
    refused: whole(65_535n, "a whole number from 0 to 65535"),
  },
  strategy: {
    explain:
      "How it quotes: glft leans against its inventory, fixed-spread keeps a distance. docs/strategies.md has more.",
    prompt: `strategy (${offeredStrategies.join(", ")})`,
    otherwise: () => offeredStrategies[0],
    refused: (answer) =>
      offeredStrategies.some((name) => name === answer) ? undefined : `one of ${offeredStrategies.join(", ")}`,
  },
  maxPosition: {
    explain: "The largest position in contracts, if every order of one side filled. No order passes it.",
    prompt: "maxPosition, contracts",
    otherwise: () => "20",
    refused: number("contracts"),
  },
  maxOrderSize: {
    explain: "The largest single order in contracts. Orders of half of it are quoted.",
    prompt: "maxOrderSize, contracts",
    otherwise: ({ maxPosition }) => tenth(maxPosition),
    refused: (answer, { maxPosition }) =>
      number("contracts")(answer) ??
      (Number(answer) > Number(maxPosition) ? `at most maxPosition, ${maxPosition}` : undefined),
  },
  maxLoss: {
    explain: "USDC lost in a day at which the market halts until you resume it.",
    prompt: "maxLoss, USDC",
    otherwise: () => "500",
    refused: number("USDC"),
  },
});
