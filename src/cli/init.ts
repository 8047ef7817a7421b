// `quoin init`: asks a few questions, writes a configuration and an agent key, and prints what the account's owner has to approve. With
// --yes it uses options and defaults instead of asking. After a wrong answer it asks again and keeps all other answers.

import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { writeKeyFile } from "../bot/execution/agent-key.ts";
import { sizeAdvice, sizeAdviceText } from "../bot/risk/size-advice.ts";
import { ReadError } from "../bot/venue/port.ts";
import { readConfiguration } from "../daemon/configuration/thread.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import { unknownDialect } from "../domain/dialect.ts";
import { accountId } from "../domain/units.ts";
import { type Dialog, EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { CodedError } from "../kernel/errors.ts";
import { withoutKeys } from "../kernel/secret.ts";
import { commandText } from "../kernel/typed-command.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import { tryWriting, unwritable } from "../kernel/yaml/files.ts";
import { publicKeyOf, SEED_BYTES } from "../wire/signing.ts";
import { encodeTransaction } from "../wire/transaction.ts";
import { type Answers, type Question, type QuestionKey, questionKeys, questions } from "./init/questions.ts";
import { configText } from "./init/written-config.ts";
import { readMarketSizes } from "./market-sizes.ts";

export type InitOptions = Answers & {
  readonly out: string;
  readonly yes: boolean;
  readonly live: boolean;
  readonly key?: string;
  readonly port: number;
  readonly json: boolean;
};

/** A required answer is missing, so nothing is written. */
class NotAnswered extends Error {}

const READ_MS_MAX = 2500;
const AGENT_NAME = "quoin";
const SHIPPED = fileURLToPath(new URL("../../config/", import.meta.url));

/** Exit 2, with nothing written, when a file exists or the answers do not make a valid configuration. */
export async function init(options: InitOptions, host: Host): Promise<ExitCode> {
  const { out } = options;
  const keyFile = options.key ?? join(dirname(out), "agent.key");
  const taken = [out, keyFile].find((file) => host.files.exists(file));
  if (taken !== undefined)
    return endWith(
      EXIT_USAGE,
      `${taken} exists already and is not touched; name another ${taken === out ? "--out" : "--key"}`,
      host,
    );
  for (const file of [out, keyFile]) {
    const fault = folderFault(file, host);
    if (fault === null) continue;
    return endWith(EXIT_USAGE, `${file} cannot be written: ${fault}; nothing was written`, host);
  }
  // One dialog for all questions, so that text typed ahead is not lost between two.
  const dialog = options.yes ? null : host.dialog();
  try {
    const { account, text } = await agreedText(options, keyFile, dialog, host);
    return write({ out, text, keyFile, account, json: options.json }, host);
  } catch (error) {
    if (error instanceof ConfigError) tellFaults(error, host);
    else if (error instanceof NotAnswered) host.stderr(`quoin: ${withoutKeys(error.message)}; nothing was written\n`);
    else throw error;
    return EXIT_USAGE;
  } finally {
    dialog?.close();
  }
}

/** Why no file can be made there. Null: one can. */
function folderFault(file: string, { files }: Host): string | null {
  const folder = dirname(file);
  if (!files.isFolder(folder)) return `there is no folder ${folder}; make it with mkdir -m 0700 ${folder}`;
  try {
    tryWriting(file);
    return null;
  } catch (cause) {
    return unwritable(cause);
  }
}

const tellFaults = ({ faults }: ConfigError, host: Host): void => {
  for (const fault of faults) host.stderr(`${formatFault(fault)}\n`);
};

/** The configuration's text without faults. Until then every question is asked again, with the last answer as its default. */
async function agreedText(options: InitOptions, keyFile: string, dialog: Dialog | null, host: Host) {
  const { out, live, port } = options;
  const offered = { keyFile: relative(dirname(out), keyFile), schema: schemaFor(out, host), port };
  for (let before: Answers = {}; ; ) {
    const answers = await answered(options, before, dialog, host);
    const isDevnet = /(^|:)devnet(:|$)/.test(answers.chainId);
    if (!isDevnet && !live && !(await confirmsLive(answers.chainId, dialog)))
      throw new NotAnswered(`${answers.chainId} is not a devnet's: real money; say --live`);
    const text = configText({ answers, live: !isDevnet, carries: await carriedSize(answers, host), ...offered });
    try {
      await refuseFaults(out, text, host);
      return { account: answers.account, text };
    } catch (error) {
      if (!(error instanceof ConfigError) || dialog === null || dialog.isOver()) throw error;
      tellFaults(error, host);
      host.stderr("These answers make no configuration. Once more, each with your answer as what is offered:\n");
      before = answers;
    }
  }
}

/** `before`: earlier answers, which are the defaults now. */
async function answered(
  options: InitOptions,
  before: Answers,
  dialog: Dialog | null,
  host: Host,
): Promise<Required<Answers>> {
  let seen: string | undefined;
  const asked = questions(() => seen);
  const answers: Partial<Record<QuestionKey, string>> = {};
  for (const key of questionKeys) {
    if (key === "chainId" && options.chainId === undefined) {
      const { validatorUrl = "" } = answers;
      const found = await chainIdAt(validatorUrl, host);
      if ("chainId" in found) seen = found.chainId;
      else host.stderr(`${found.why}, so the chain id has to be typed.\n`);
    }
    const offered = (key === "chainId" ? seen : undefined) ?? before[key] ?? asked[key].otherwise(answers);
    const given = before[key] === undefined ? options[key] : undefined;
    answers[key] = await answerTo(key, { ...asked[key], offered, given, known: answers }, dialog, host);
  }
  return answers as Required<Answers>;
}

type Asked = Question & {
  readonly offered: string | undefined;
  readonly given: string | undefined;
  readonly known: Answers;
};

/** Asks until the answer is valid. Without a dialog, or when its input ends, takes the option or the default. */
async function answerTo(
  key: QuestionKey,
  { explain, prompt, refused, offered, given, known }: Asked,
  dialog: Dialog | null,
  host: Host,
): Promise<string> {
  const shown = `${explain}\n  ${prompt}${offered === undefined ? "" : ` [${offered}]`}: `;
  for (let [answer, isAgain] = [given, false]; ; [answer, isAgain] = [undefined, true]) {
    answer ??= dialog === null ? undefined : (await dialog.ask(shown))?.trim() || undefined;
    // A user who ends the input after a wrong answer has not accepted the default.
    if (!(isAgain && dialog?.isOver())) answer ??= offered;
    const fault = answer === undefined ? "missing" : refused(answer, known);
    if (fault === undefined && answer !== undefined) return answer;
    const what =
      answer === undefined ? `--${optionOf(key)} is missing` : `--${optionOf(key)} "${answer}" is not ${fault}`;
    if (dialog === null || dialog.isOver()) throw new NotAnswered(what);
    host.stderr(`  ${answer === undefined ? "an answer is needed" : withoutKeys(`"${answer}" is not ${fault}`)}\n`);
  }
}

const optionOf = (key: QuestionKey): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

async function confirmsLive(chainId: string, dialog: Dialog | null): Promise<boolean> {
  for (;;) {
    const answer = await dialog?.ask(
      `${chainId} is not a devnet's: orders there are real money.\n  type "live" to go on, "stop" to write nothing: `,
    );
    if (answer === undefined || answer.trim() === "stop") return false;
    if (answer.trim() === "live") return true;
  }
}

/** What the exchange reports, or a clause that says why that is unknown. */
async function chainIdAt(
  validatorUrl: string,
  host: Host,
): Promise<{ readonly chainId: string } | { readonly why: string }> {
  const venue = reachAt(validatorUrl, host);
  try {
    const node = await venue?.reads.node();
    return node === undefined ? { why: `No exchange answers at ${validatorUrl}` } : { chainId: node.chainId };
  } catch (error) {
    const isAnswered = error instanceof ReadError && error.httpStatus !== null;
    return {
      why: isAnswered
        ? `${validatorUrl} answers, and not with node info (${withoutKeys(error.message)})`
        : `No exchange answers at ${validatorUrl}`,
    };
  } finally {
    await venue?.close();
  }
}

/** A sentence on what size the market carries now. Null: the exchange does not show it. */
async function carriedSize({ validatorUrl, account, market }: Required<Answers>, host: Host): Promise<string | null> {
  const venue = reachAt(validatorUrl, host);
  if (venue === null) return null;
  const found = await Promise.all([
    readMarketSizes(Number(market), venue.reads),
    venue.reads.account(accountId(BigInt(account))),
  ]).catch(() => null);
  await venue.close();
  if (found === null) return null;
  const [{ sizes }, { collateral: equity, openOrders }] = found;
  const own = openOrders.filter(({ marketId }) => marketId === Number(market));
  return sizeAdviceText(sizeAdvice({ ...sizes, own, equity }));
}

function reachAt(validatorUrl: string, host: Host) {
  const plain = {
    chainId: "",
    live: false,
    tooManyRequestsMeans: "rejected",
    landingBoundMs: 0,
    readLagMaxMs: 0,
    dialect: unknownDialect,
    restUrl: null,
  } as const;
  const wsUrl = validatorUrl.replace(/^http/, "ws");
  return reachVenue({ venue: { kind: "remote", ...plain, validatorUrl, wsUrl } }, host, { readTimeoutMs: READ_MS_MAX });
}

/** The schema with which an editor completes the file. Null: none is published. */
function schemaFor(out: string, { files }: Host): string | null {
  const name = files.list(SHIPPED).find((file) => file.endsWith(".schema.json") && !file.startsWith("devnet"));
  return name === undefined ? null : relative(files.resolve(out, "."), join(SHIPPED, name));
}

/** Checks the text as if it were already written. Throws ConfigError. */
async function refuseFaults(out: string, text: string, host: Host): Promise<void> {
  await readConfiguration({ file: out, instead: new Map([[out, text]]) }, host);
}

type Written = {
  readonly out: string;
  readonly text: string;
  readonly keyFile: string;
  readonly account: string;
  readonly json: boolean;
};

function write({ out, text, keyFile, account, json }: Written, host: Host): ExitCode {
  const seed = host.entropy.bytes(SEED_BYTES);
  const publicKey = publicKeyOf(seed);
  try {
    writeKeyFile(keyFile, seed);
    try {
      host.files.create(out, text);
    } catch (cause) {
      host.files.remove(keyFile); // A key that no configuration names.
      throw cause;
    }
  } catch (error) {
    if (!(error instanceof CodedError || (error as NodeJS.ErrnoException).code !== undefined)) throw error;
    return endWith(EXIT_FAILED, `${(error as Error).message}; nothing was written`, host);
  }
  const approve = encodeTransaction({
    type: "ApproveAgent",
    accountId: accountId(BigInt(account)),
    agent: publicKey,
    name: AGENT_NAME,
    expiresAtSec: null,
  });
  if (json) {
    host.stdout(`${JSON.stringify({ config: out, keyFile, publicKey, approve })}\n`);
    return EXIT_DONE;
  }
  host.stdout(
    [
      `wrote ${out} and ${keyFile}`,
      "",
      `The owner of account ${account} approves this agent key. It can trade; it cannot withdraw,`,
      "transfer or approve. On a page or in a wallet the owner enters the public key:",
      "",
      `  ${publicKey}`,
      "",
      "or signs this transaction with the owner key (add expires_at, in Unix seconds, to end it):",
      "",
      `  ${approve}`,
      "",
      "Then:",
      `  ${commandText("doctor --live-test", out)}`,
      `  ${commandText("run", out)}`,
      "",
    ].join("\n"),
  );
  return EXIT_DONE;
}
