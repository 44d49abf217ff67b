// Keys, times and motion of Palate's pages. Everything works without this file.
"use strict";

(() => {
  const busy = (target) => target.closest("input, textarea, select, [contenteditable]");
  const ballot = () => document.getElementById("ballot");
  let shown = performance.now();

  // A key presses the button that names it. Space and the arrows keep their
  // meaning on controls that use them.
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || busy(e.target)) return;
    if (e.key === " " && e.target.closest("button, summary, a")) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const button = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!button || button.disabled) return;
    e.preventDefault();
    button.click();
  });

  // Browsers lend their clipboard to pages over HTTPS and of this machine only; elsewhere
  // what is selected in a field can be copied.
  const clip = (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea");
    field.className = "sr";
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done ? Promise.resolve() : Promise.reject(new Error("not copied"));
  };

  document.addEventListener("click", (e) => {
    const copy = e.target.closest("[data-copy]");
    if (copy) {
      clip(copy.dataset.copy).then(() => { copy.textContent = document.body.dataset.copied; }, () => { copy.textContent = document.body.dataset.uncopied; }).then(() => copy.focus());
      return;
    }
    // The whole card picks its item, but for the links on it.
    const side = e.target.closest("[data-pick]");
    if (side && !e.target.closest("a, button, summary") && !String(getSelection())) {
      side.querySelector("button").click();
    }
  });

  // How long an answer took, from when its question was shown.
  document.addEventListener("submit", () => time(), true);
  document.addEventListener("htmx:configRequest", (e) => {
    if (e.target === ballot()) e.detail.parameters.ms = Math.round(performance.now() - shown);
  });
  const time = () => { if (ballot()) ballot().elements.ms.value = Math.round(performance.now() - shown); };

  document.addEventListener("htmx:sendError", () => {
    const problem = document.getElementById("problem");
    if (problem) problem.textContent = document.body.dataset.unreachable;
  });
  document.addEventListener("htmx:beforeRequest", () => {
    const problem = document.getElementById("problem");
    if (problem) problem.textContent = "";
  });

  // Rows glide to their new places.
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const places = new Map();
  const rows = () => document.querySelectorAll("#live tr[data-id]");
  const open = new Set();
  document.addEventListener("htmx:beforeSwap", (e) => {
    if (e.target.id !== "live") return;
    places.clear();
    for (const row of rows()) places.set(row.dataset.id, row.getBoundingClientRect().top);
    open.clear();
    for (const d of e.target.querySelectorAll("details[open]")) open.add(d.className);
  });
  document.addEventListener("htmx:afterSwap", (e) => {
    if (e.target.id === "question" || e.detail.target?.id === "question") {
      shown = performance.now();
      // The button that had the focus has it again, by its name; at the end there is none.
      if (document.activeElement === document.body) document.getElementById("over")?.focus();
      return;
    }
    if (e.target.id !== "live") return;
    for (const d of e.target.querySelectorAll("details")) d.open = open.has(d.className);
    if (still.matches) return;
    for (const row of rows()) {
      const from = places.get(row.dataset.id);
      if (from === undefined) continue;
      const moved = from - row.getBoundingClientRect().top;
      if (moved) row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 350, easing: "ease-out" });
    }
  });
})();
