// Menus of the page close as a reader expects: at Escape, and when a click or the focus goes elsewhere.

const OPEN = "details.menu[open]";

export function closeMenus() {
  document.addEventListener("click", ({ target }) => closeBut(target));
  document.addEventListener("focusin", ({ target }) => closeBut(target));
  document.addEventListener("keydown", ({ key }) => {
    const menu = key === "Escape" ? document.querySelector(OPEN) : null;
    menu?.removeAttribute("open");
    menu?.querySelector("summary")?.focus();
  });
}

/** All but the one that `kept` is in. @type {(kept: EventTarget | null) => void} */
function closeBut(kept) {
  for (const menu of document.querySelectorAll(OPEN))
    if (!(kept instanceof Node && menu.contains(kept))) menu.removeAttribute("open");
}
