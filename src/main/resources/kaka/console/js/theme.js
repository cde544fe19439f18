/** Light or dark: the system's, until one is chosen here; what is chosen is remembered. js/early.js sets it before the first paint. */
const KEY = "kaka.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => document.documentElement.dataset.theme === "dark";

export function toggleTheme() {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // then it lasts until the page is closed
  }
}

system.addEventListener("change", () => {
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    // as if none was chosen
  }
  if (chosen === null) {
    document.documentElement.dataset.theme = system.matches ? "dark" : "light";
  }
});
