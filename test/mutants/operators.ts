// Mutants of the guard's code by rule, wherever it stands: comparisons off by one and turned round, conditions that always or never
// hold, joins of conditions, facts that are old or missing and pass, sums and steps left out.

import { type Mutant, replaced } from "./mutant.ts";
import { subjectOf } from "./rows.ts";
import { type Node, type Place, partOf, placesOf, type Source, textOf, word } from "./source.ts";

/** A comparison at its edge, and its opposite. */
const edges: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const opposites: Readonly<Record<string, string>> = {
  ...{ "<": ">=", "<=": ">", ">": "<=", ">=": "<" },
  ...{ "===": "!==", "!==": "===" },
};
const swaps: Readonly<Record<string, string>> = { "+": "-", "-": "+", "*": "/", "/": "*", "&&": "||", "||": "&&" };
const steps: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=", "??=": "=" };

/** What is old passes for fresh, and what is fresh is all that counts. */
const factReads: Readonly<Record<string, string>> = {
  fresh: '((fact) => (fact.state === "absent" ? undefined : fact.value))',
  lastKnown: '((fact) => (fact.state === "fresh" ? fact.value : undefined))',
};

/** All mutants of a file by these rules, in its order. */
export function operatorMutants(source: Source): readonly Mutant[] {
  return [...placesOf(source.tree)].flatMap((place) =>
    wrongTexts(source, place).map((wrong) => {
      const { at = place.node, text, what } = wrong;
      return replaced(source, at, text, subjectOf(source, place), what);
    }),
  );
}

type Wrong = { readonly at?: Node; readonly text: string; readonly what?: string };

function wrongTexts(source: Source, { node, above }: Place): readonly Wrong[] {
  const said = (field: string): string => textIn(source, node, field);
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return wrongJoins(source, node, above.at(-1));
    case "UnaryExpression":
      return ["!", "-"].includes(word(node, "operator")) ? [{ text: `(${said("argument")})` }] : [];
    case "AssignmentExpression": {
      const wrong = steps[word(node, "operator")];
      return wrong === undefined ? [] : [{ text: `${said("left")} ${wrong} ${said("right")}` }];
    }
    case "ExpressionStatement":
      return [{ text: ";", what: `\`${textOf(source, node)}\` left out` }];
    case "IfStatement":
    case "ConditionalExpression":
      return wrongConditions(source, node);
    case "CallExpression":
      return wrongCalls(source, node, said("callee"));
    default:
      return [];
  }
}

function wrongJoins(source: Source, node: Node, parent: Node | undefined): readonly Wrong[] {
  const operator = word(node, "operator");
  const [left, right] = [textIn(source, node, "left"), textIn(source, node, "right")];
  if (operator === "??") return [{ text: `(${left})` }, { text: `(${right})` }];
  // What is the whole of a condition is tried as always true and always false, which says more than its opposite.
  const isCondition = parent !== undefined && partOf(parent, "test") === node;
  const edge = isCondition && isChoice(source, parent, left, right) ? undefined : edges[operator];
  const others = [edge, isCondition ? undefined : opposites[operator], swaps[operator]];
  return others.flatMap((other) => (other === undefined ? [] : [{ text: `(${left} ${other} ${right})` }]));
}

/** The larger or the smaller of two: where they are equal it does not matter which is taken, so the edge is no mutant. */
function isChoice(source: Source, condition: Node, left: string, right: string): boolean {
  if (condition.type !== "ConditionalExpression") return false;
  const [yes, no] = [textIn(source, condition, "consequent"), textIn(source, condition, "alternate")];
  return (yes === left && no === right) || (yes === right && no === left);
}

function wrongConditions(source: Source, node: Node): readonly Wrong[] {
  const test = partOf(node, "test");
  if (test === undefined) return [];
  const text = textOf(source, test);
  return ["true", "false"].map((wrong) => ({ at: test, text: wrong, what: `\`${text}\` always ${wrong}` }));
}

function wrongCalls(source: Source, node: Node, callee: string): readonly Wrong[] {
  if (callee === "notFresh") return [{ text: "null", what: `\`${textOf(source, node)}\` passes` }];
  const wrong = factReads[callee];
  if (wrong === undefined) return [];
  const given = textOf(source, node).slice(callee.length);
  const what = callee === "fresh" ? "old passes for fresh" : "old passes for missing";
  return [{ text: `${wrong}${given}`, what: `\`${textOf(source, node)}\`: ${what}` }];
}

/** The text of a part that every node of its type has. */
function textIn(source: Source, node: Node, field: string): string {
  const found = partOf(node, field);
  if (found === undefined) throw new Error(`${source.file}: a ${node.type} without ${field}`);
  return textOf(source, found);
}
