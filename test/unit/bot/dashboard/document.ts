// The page's own modules, brought to text as a browser would first show them, and as much of a reader as the tests need.

// By address: the types of a browser are none of this program's.
const { h } = (await import(import.meta.resolve("preact"))) as {
  readonly h: (component: unknown, properties: object) => unknown;
};
const { renderToString } = (await import(import.meta.resolve("preact-render-to-string"))) as {
  readonly renderToString: (node: unknown) => string;
};

/** An element of the page: its text, and what stands in its tag. */
export type Shown = { readonly text: string; readonly html: string; readonly attributes: string };

const folder = new URL("../../../../src/bot/dashboard/page/", import.meta.url);
export const pageModule = (name: string): Promise<unknown> => import(new URL(name, folder).href);

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
const textOf = (html: string): string =>
  html.replace(/<[^>]*>/g, "").replace(/&([a-z#0-9]+);/g, (all, name: string) => entities[name] ?? all);

/** Elements of a kind that does not stand in itself, in the order of the page. */
export const elements = (html: string, tag: string): readonly Shown[] =>
  Array.from(
    html.matchAll(new RegExp(`<${tag}(\\s[^>]*)?>(.*?)</${tag}>`, "gs")),
    ([, attributes = "", inner = ""]) => ({
      attributes,
      html: inner,
      text: textOf(inner).replace(/\s+/g, " ").trim(),
    }),
  );

/** A component of the page as text. */
export async function shownAs(module: string, name: string, properties: object): Promise<string> {
  const exports = (await pageModule(module)) as Readonly<Record<string, unknown>>;
  return renderToString(h(exports[name], properties));
}

export async function openPage() {
  const { Page } = (await pageModule("view.js")) as { readonly Page: unknown };
  let html = "";
  return {
    draw(
      state: object,
      chosen = "",
      stale = "",
      risk: object | null = null,
      meanings: object = { limits: {}, accountLimits: {}, params: {} },
    ): void {
      html = renderToString(h(Page, { state, chosen, stale, risk, meanings, home: "", choose: () => {} }));
    },
    all: (tag: string): readonly Shown[] => elements(html, tag),
    /** The texts of the cells of each row. */
    rows: (): readonly (readonly string[])[] =>
      elements(html, "tr").map((row) => elements(row.html, "t[dh]").map(({ text }) => text)),
    html: (): string => html,
  };
}
