// As much of a browser's document as the page's script uses, and the page run in it.

import { runInNewContext } from "node:vm";
import { readPage } from "../../../../src/bot/dashboard/page-files.ts";
import { until } from "../../../support/until.ts";

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

/** A browser that shows the page: `refresh` lets it ask once more and answers with a status, or not at all. */
export function openPage(): {
  readonly view: PageNode;
  readonly title: () => string;
  readonly refresh: (status: object | null) => Promise<void>;
} {
  const script = readPage().get("GET /page.js")?.().body ?? "";
  const view = new PageNode("MAIN");
  const document = {
    title: "",
    getElementById: (id: string) => (id === "view" ? view : null),
    createElement: (tag: string) => new PageNode(tag.toUpperCase()),
    createTextNode: (text: string) => new PageNode("#text", text),
  };
  let answer = Promise.withResolvers<{ readonly json: () => Promise<object> }>();
  let next: (() => void) | null = null;
  const fetch = () => answer.promise;
  const setTimeout = (run: () => void) => {
    next = run;
  };
  const location = { hash: "", pathname: "/" };
  const sessionStorage = { getItem: () => null };
  class HTMLFormElement {}
  runInNewContext(script, { document, fetch, setTimeout, location, sessionStorage, HTMLFormElement });
  const refresh = async (status: object | null): Promise<void> => {
    if (status === null) answer.reject(new Error("refused"));
    else answer.resolve({ json: () => Promise.resolve(status) });
    const run = await until("the page is drawn", () => next);
    next = null;
    answer = Promise.withResolvers();
    run();
  };
  return { view, title: () => document.title, refresh };
}
