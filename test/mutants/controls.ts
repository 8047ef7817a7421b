// Mutants of the controls, made from the guard's own tables: each gate, limit and latch taken away and turned round, whom each limit
// judges, each cell of what passes a closed gate, and each number of the configuration read as twice and as half of itself.

import { gateIds, type Passage, passageThrough } from "../../src/bot/risk/gates/gate.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../../src/bot/risk/limits/limits.ts";
import type { ActionClass } from "../../src/domain/command.ts";
import { type Mutant, replaced } from "./mutant.ts";
import { type Row, rowsOf, subjectOf } from "./rows.ts";
import {
  constant,
  type Node,
  nameOf,
  type Place,
  partOf,
  placesOf,
  property,
  type Source,
  textOf,
  word,
} from "./source.ts";

/** The function of a row that decides, what it says when all is well, and what it says when turned round. */
const verdicts = {
  gate: {
    decides: "closed",
    fine: "null",
    inverted: (said: string) => `(${said} === null ? { inverted: true } : null)`,
  },
  limit: {
    decides: "exceeded",
    fine: "null",
    inverted: (said: string) => `(${said} === null ? { inverted: true } : null)`,
  },
  latch: {
    decides: "tripped",
    fine: "[]",
    inverted: (said: string) => `(${said}.length > 0 ? [] : [{ marketId: null, reason: "inverted", numbers: {} }])`,
  },
} as const;

/** Removed: never closed, exceeded or tripped. Inverted: what was fine is not, and nothing else. */
export const rowMutants = (source: Source): readonly Mutant[] => rowsOf(source).flatMap(mutantsOfRow);

function mutantsOfRow({ kind, id, source, node }: Row): readonly Mutant[] {
  const { decides, fine, inverted } = verdicts[kind];
  const subject = `${kind} ${id}`;
  const decision = property(source, node, decides);
  const turned = `(...given) => ${inverted(`(${textOf(source, decision)})(...given)`)}`;
  const mutants = [
    replaced(source, decision, `() => ${fine}`, subject, "removed"),
    replaced(source, decision, turned, subject, "inverted"),
  ];
  if (kind !== "limit") return mutants;
  const judges = property(source, node, "judges");
  const other = textOf(source, judges) === '"every"' ? '"adding"' : '"every"';
  return [...mutants, replaced(source, judges, other, subject)];
}

const wrongPassages: Readonly<Record<Passage, readonly Passage[]>> = {
  passes: ["blocked", "flatten"],
  blocked: ["passes", "flatten"],
  flatten: ["passes", "blocked"],
  trial: ["passes", "blocked"],
};

/** Each cell of gate x action with each of the other two words. */
export function passageMutants(source: Source): readonly Mutant[] {
  const table = constant(source, "passageThrough");
  return gateIds.flatMap((id) => {
    const row = property(source, table, id);
    return (Object.keys(passageThrough[id]) as ActionClass[]).flatMap((action) => {
      const said = passageThrough[id][action];
      return wrongPassages[said].map((wrong) => {
        const text = `{ ...${textOf(source, row)}, ${action}: "${wrong}" }`;
        return replaced(source, row, text, `gate ${id}`, `${action} ${wrong}, not ${said}, while it is closed`);
      });
    });
  });
}

/** Every key of a market's and an account's `limits`. */
export const limitKeys: readonly string[] = [
  ...Object.keys(marketLimitsSchema.parse({ maxPosition: 1, maxOrderSize: 1, maxOpenOrders: 1, maxLoss: 1 })),
  ...Object.keys(accountLimitsSchema.parse({})),
].filter((key, at, all) => all.indexOf(key) === at);

/** Each number of the configuration, at each place where the guard reads it: twice and half of what was said. */
export function keyMutants(source: Source): readonly Mutant[] {
  return [...placesOf(source.tree)].flatMap((place) => {
    const key = keyReadAt(place);
    if (key === undefined) return [];
    const subject = subjectOf(source, place);
    const text = textOf(source, place.node);
    return [
      replaced(source, place.node, scaled(text, "*"), subject, `\`${key}\` read as twice`),
      replaced(source, place.node, scaled(text, "/"), subject, `\`${key}\` read as half`),
    ];
  });
}

const scaled = (text: string, by: "*" | "/"): string =>
  `((limit) => limit === null ? limit : typeof limit === "bigint" ? limit ${by} 2n : limit ${by} 2)(${text})`;

/** The key that is read here to be used: not where it is bound to a name, asked for its presence, or told as a number. */
function keyReadAt({ node, above }: Place): string | undefined {
  const parent = above.at(-1);
  if (parent === undefined) return undefined;
  const key = keyNamed(node, parent);
  if (key === undefined || !limitKeys.includes(key)) return undefined;
  const told = parent.type === "Property" && nameOf(parent) === key;
  return told || isBound(node, parent) || isAskedForPresence(parent) ? undefined : key;
}

/** A parameter, or what takes its default when nothing is given. */
const isBound = (node: Node, parent: Node): boolean =>
  (parent.type === "AssignmentPattern" && partOf(parent, "left") === node) ||
  ("params" in parent && (parent.params as readonly Node[]).includes(node));

function keyNamed(node: Node, parent: Node): string | undefined {
  if (node.type === "MemberExpression") {
    const name = partOf(node, "property");
    return name?.type === "Identifier" ? word(name, "name") : undefined;
  }
  return node.type === "Identifier" && parent.type !== "MemberExpression" ? word(node, "name") : undefined;
}

function isAskedForPresence(parent: Node): boolean {
  const right = parent.type === "BinaryExpression" ? partOf(parent, "right") : undefined;
  return right?.type === "Literal" && word(right, "raw") === "null";
}
