// A classic script, so that the theme is set before the first paint.
"use strict";
(() => {
  let theme = null;
  // Storage may be switched off.
  try { theme = localStorage.getItem("toolcrib-theme"); } catch { }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
