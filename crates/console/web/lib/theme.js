// The theme that a person chose in this browser. `theme.js` sets it before the first paint.

/** @type {Record<string, string>} */
export const THEME = { auto: "As the system", light: "Light", dark: "Dark" };

const KEY = "toolcrib-theme";

export function chosenTheme() {
  return document.documentElement.dataset.theme ?? "auto";
}

/** @param {string} theme `auto`, `light` or `dark` */
export function chooseTheme(theme) {
  const root = document.documentElement;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  // Where storage is switched off, the choice lasts as long as the page.
  try {
    if (theme === "auto") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch { }
}
