// Closes menus of the page on Escape, and when a click or the focus goes elsewhere.

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

/** Closes all but the one that contains `kept`. @type {(kept: EventTarget | null) => void} */
function closeBut(kept) {
  for (const menu of document.querySelectorAll(OPEN))
    if (!(kept instanceof Node && menu.contains(kept))) menu.removeAttribute("open");
}
