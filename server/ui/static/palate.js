// Keys, times and motion of Palate's pages. Everything works without this file.
"use strict";

(() => {
  const busy = (target) => target.closest("input:not([type=radio]), textarea, select, [contenteditable]");
  const ballot = () => document.getElementById("ballot");
  let shown = performance.now();

  // A key presses the button that names it. Space and the arrows keep their
  // meaning on controls that use them.
  document.addEventListener("keydown", (e) => {
    const ranked = e.target.closest("[data-rank] > li");
    if (ranked && (e.key === "ArrowUp" || e.key === "ArrowDown")) {
      e.preventDefault();
      move(ranked, e.key === "ArrowUp" ? -1 : 1);
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || busy(e.target)) return;
    if ((e.key === " " || e.key === "Enter") && e.target.closest("button, summary, a, label, input")) return;
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
    const arrow = e.target.closest("[data-rank] [data-move]");
    if (arrow) {
      e.preventDefault();
      move(arrow.closest("li"), Number(arrow.dataset.move));
      return;
    }
    const marked = e.target.closest("[data-mark]");
    if (marked && !e.target.closest("a, label") && !String(getSelection())) mark(marked);
    // The whole card picks its item, but for the links on it.
    const side = e.target.closest("[data-pick]");
    if (side && !e.target.closest("a, button, summary") && !String(getSelection())) {
      side.querySelector("button").click();
    }
  });

  // What was done, for screen readers.
  const said = (text, ...places) => {
    document.getElementById("said").textContent = text.replace(/\{(\d)\}/g, (_, k) => places[k - 1]);
  };

  // The best, then the worst: a tap on a card marks it, or takes its mark off again.
  const radio = (card, name) => card.querySelector(`[name=${name}]`);
  const mark = (card) => {
    const best = document.querySelector("#marks [name=best]:checked");
    for (const name of ["best", "worst"]) {
      if (radio(card, name).checked) {
        radio(card, name).checked = false;
        said(card.parentNode.dataset.neither, card.dataset.name);
        return;
      }
    }
    choose(radio(card, best ? "worst" : "best"));
  };
  const choose = (input) => {
    input.checked = true;
    const card = input.closest("[data-mark]");
    const other = radio(card, input.name === "best" ? "worst" : "best");
    if (other.checked) other.checked = false; // no item is both
    said(card.parentNode.dataset[input.name], card.dataset.name);
  };
  document.addEventListener("change", (e) => { if (e.target.closest("[data-mark]")) choose(e.target); });

  // A ranking is moved by arrows or by dragging. It is the neighbour that changes its place
  // in the page, so that what is moved keeps the focus and the pointer.
  const swap = (item, by) => {
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (!other) return false;
    const from = other.getBoundingClientRect().top;
    if (by < 0) item.after(other); else item.before(other);
    const moved = from - other.getBoundingClientRect().top;
    if (!still.matches) other.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 150 });
    return true;
  };
  const placed = (item) => {
    const all = [...item.parentNode.children];
    said(item.parentNode.dataset.placed, item.dataset.name, all.indexOf(item) + 1, all.length);
  };
  const move = (item, by) => {
    swap(item, by);
    placed(item);
  };
  document.addEventListener("pointerdown", (e) => {
    const item = e.target.closest("[data-rank] > li");
    const grip = e.target.closest(".grip");
    // A finger elsewhere on the card scrolls the page.
    if (!item || e.button || e.target.closest("a, .arrows") || (e.pointerType !== "mouse" && !grip)) return;
    e.preventDefault();
    item.querySelector(".grip").focus({ preventScroll: true });
    item.setPointerCapture(e.pointerId);
    item.classList.add("held");
    let from = e.clientY;
    const drag = (m) => {
      for (let by = 1; by;) {
        item.style.transform = `translateY(${m.clientY - from}px)`;
        const box = item.getBoundingClientRect();
        const [up, down] = [item.previousElementSibling, item.nextElementSibling];
        by = 0;
        if (up && box.top < up.offsetTop + up.offsetHeight / 2 + scrolled(up)) by = -1;
        else if (down && box.bottom > down.offsetTop + down.offsetHeight / 2 + scrolled(down)) by = 1;
        const was = item.offsetTop;
        if (by) swap(item, by);
        from += item.offsetTop - was;
      }
    };
    const drop = () => {
      item.removeEventListener("pointermove", drag);
      item.classList.remove("held");
      item.style.transform = "";
      placed(item);
    };
    item.addEventListener("pointermove", drag);
    item.addEventListener("lostpointercapture", drop, { once: true });
  });
  // From the offset of an element to where it is on the screen.
  const scrolled = (element) => element.offsetParent.getBoundingClientRect().top;

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
