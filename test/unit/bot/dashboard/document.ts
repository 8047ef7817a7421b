// As much of a browser's document as the page's script uses, and the page run in it.

import { vi } from "vitest";

/** A node of the document: an element, or a text when it has a value. */
export class PageNode {
  readonly nodeName: string;
  nodeValue: string | null;
  readonly childNodes: PageNode[] = [];
  readonly #attributes = new Map<string, string>();

  constructor(nodeName: string, nodeValue: string | null = null) {
    this.nodeName = nodeName;
    this.nodeValue = nodeValue;
  }

  get firstChild(): PageNode | null {
    return this.childNodes[0] ?? null;
  }
  get lastChild(): PageNode | null {
    return this.childNodes.at(-1) ?? null;
  }
  get className(): string {
    return this.getAttribute("class") ?? "";
  }
  set className(name: string) {
    this.setAttribute("class", name);
  }
  get text(): string {
    return this.nodeValue ?? this.childNodes.map(({ text }) => text).join("");
  }

  appendChild(node: PageNode): void {
    this.childNodes.push(node);
  }
  insertBefore(node: PageNode, next: PageNode): void {
    this.childNodes.splice(this.childNodes.indexOf(next), 0, node);
  }
  removeChild(node: PageNode): void {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
  }
  replaceChild(node: PageNode, old: PageNode): void {
    this.childNodes.splice(this.childNodes.indexOf(old), 1, node);
  }
  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }
  getAttributeNames(): readonly string[] {
    return [...this.#attributes.keys()];
  }
  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }

  /** Every node below with this name, in the order of the document. */
  all(nodeName: string): readonly PageNode[] {
    return this.childNodes.flatMap((node) => [...(node.nodeName === nodeName ? [node] : []), ...node.all(nodeName)]);
  }
}

type Part = string | { readonly tag: string; readonly children: readonly Part[] };
type View = { readonly page: (state: object, chosen: string, stale: string, risk: object | null) => readonly Part[] };
type Dom = { readonly update: (parent: PageNode, parts: readonly Part[]) => void };

/** The page's own modules over this document: `draw` brings the view to a state of the live stream. */
export async function openPage(): Promise<{
  readonly view: PageNode;
  readonly draw: (state: object, chosen?: string, stale?: string, risk?: object | null) => void;
}> {
  const folder = new URL("../../../../src/bot/dashboard/page/", import.meta.url);
  const [{ page }, { update }] = (await Promise.all([
    import(new URL("view.js", folder).href),
    import(new URL("dom.js", folder).href),
  ])) as [View, Dom];
  vi.stubGlobal("document", {
    createElement: (tag: string) => new PageNode(tag.toUpperCase()),
    createElementNS: (_space: string, tag: string) => new PageNode(tag),
    createTextNode: (text: string) => new PageNode("#text", text),
  });
  const view = new PageNode("MAIN");
  return {
    view,
    draw: (state, chosen = "", stale = "", risk = null) => update(view, page(state, chosen, stale, risk)),
  };
}
