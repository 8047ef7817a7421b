// The page's tab: its title, and an icon that signals when attention is needed.

/** @type {(title: string, isAlarm: boolean) => void} */
export function showTab(title, isAlarm) {
  document.title = title;
  const icon = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=icon]"));
  const wanted = isAlarm ? "icon-alarm.svg" : "icon.svg";
  // A browser reloads it at each change.
  if (icon.getAttribute("href") !== wanted) icon.href = wanted;
}
