// Light or dark: the system's choice unless the visitor has made one. Runs before the page is painted.
(() => {
  const kept = localStorage.getItem("cole-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;

  function change() {
    const root = document.documentElement;
    const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    localStorage.setItem("cole-theme", root.dataset.theme);
  }

  document.addEventListener("DOMContentLoaded", () =>
    document.getElementById("theme").addEventListener("click", change),
  );
})();
