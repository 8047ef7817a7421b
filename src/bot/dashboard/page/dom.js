// Elements as plain data, and a document that is brought to them: only what differs is changed, so that a text selection survives.

/**
 * What an element should be. A child that is a string becomes text, never markup. `data-key` names a child among its siblings: one that
 * moves stays the node it was.
 *
 * @typedef {{ readonly tag: string; readonly attributes: Readonly<Record<string, string>>; readonly children: readonly Part[] }} Tag
 * @typedef {string | Tag} Part
 */

const SVG = "http://www.w3.org/2000/svg";
const svgTags = new Set(["svg", "g", "path", "line", "text", "title"]);

/** @type {(tag: string, attributes: Readonly<Record<string, string>>, ...children: readonly Part[]) => Tag} */
export const element = (tag, attributes, ...children) => ({ tag, attributes, children });

/**
 * Makes the children of `parent` what `parts` say and leaves alone what already is.
 *
 * @type {(parent: ParentNode & Node, parts: readonly Part[]) => void}
 */
export function update(parent, parts) {
  parts.forEach((part, index) => {
    const found = parent.childNodes[index];
    if (found === undefined) parent.appendChild(nodeOf(part));
    else if (isAnother(found, part)) parent.insertBefore(nodeOf(part), found);
    else if (!updateNode(found, part)) parent.replaceChild(nodeOf(part), found);
  });
  while (parent.lastChild !== null && parent.childNodes.length > parts.length) parent.removeChild(parent.lastChild);
}

/** @type {(node: Node, part: Part) => boolean} */
function isAnother(node, part) {
  if (typeof part === "string" || part.attributes["data-key"] === undefined) return false;
  return /** @type {Element} */ (node).getAttribute("data-key") !== part.attributes["data-key"];
}

/**
 * False where the node is of another kind than the part, and nothing was changed.
 *
 * @type {(node: Node, part: Part) => boolean}
 */
function updateNode(node, part) {
  if (typeof part === "string") {
    if (node.nodeName !== "#text") return false;
    if (node.nodeValue !== visible(part)) node.nodeValue = visible(part);
    return true;
  }
  if (node.nodeName.toLowerCase() !== part.tag) return false;
  const target = /** @type {Element} */ (node);
  // Whether a reader has opened a part of the page is the reader's.
  for (const name of target.getAttributeNames())
    if (!(name in part.attributes) && name !== "open") target.removeAttribute(name);
  for (const [name, value] of Object.entries(part.attributes)) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
  }
  update(target, part.children);
  return true;
}

/** As `kernel/printable.ts` has it: no word of others turns the reading direction around, or hides. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** @type {(text: string) => string} */
export const visible = (text) =>
  text.replace(HIDDEN, (hidden) =>
    hidden === "\n" || hidden === "\t"
      ? hidden
      : hidden
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );

/** @type {(part: Part) => Node} */
function nodeOf(part) {
  if (typeof part === "string") return document.createTextNode(visible(part));
  const node = svgTags.has(part.tag) ? document.createElementNS(SVG, part.tag) : document.createElement(part.tag);
  updateNode(node, part);
  return node;
}
