// Before the first paint, so that nothing flashes: the theme that was chosen here last, else the system's.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("kaka.theme");
  } catch {
    // storage is switched off: the system's theme then
  }
  const isDark = chosen === null ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
})();
