// Which series a Prometheus expression asks for: covers the language of the rules and dashboards of config/.

export type Selector = { readonly name: string; readonly matchers: readonly Matcher[] };
type Matcher = { readonly label: string; readonly operator: string; readonly value: string };

/** Names that no daemon exports: Prometheus writes `up`, our recording rules what has a colon. */
export const isScraped = ({ name }: Selector): boolean => name !== "up" && !name.includes(":");

/** Every series that the expression names, by the prefixes that our daemons and rules export. */
export function selectorsOf(expression: string): readonly Selector[] {
  const found = expression.matchAll(/\b(up|(?:quoin|process|nodejs)[_:][\w:]+)\b(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = "", matchers = ""]) => ({ name, matchers: matchersIn(matchers) }));
}

const matchersIn = (text: string): readonly Matcher[] =>
  [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = "", operator = "", value = ""]) => ({
    label,
    operator,
    value,
  }));

/** Labels that the expression groups or joins by. */
export const groupingsOf = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g)].flatMap(
    ([, labels = ""]) => labels.split(",").map((label) => label.trim()),
  );

/** Whether a series of these labels is selected. A matcher of a dashboard's variable (`$market`) takes any value of its label. */
export const selects = ({ matchers }: Selector, labels: Readonly<Record<string, string>>): boolean =>
  matchers.every(({ label, operator, value }) => {
    if (value.includes("$")) return labels[label] !== undefined;
    const is: boolean = operator.endsWith("~")
      ? new RegExp(`^(?:${value})$`).test(labels[label] ?? "")
      : value === (labels[label] ?? "");
    return operator.startsWith("!") ? !is : is;
  });
