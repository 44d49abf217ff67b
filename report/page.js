"use strict";
const words = document.querySelector("main").dataset;
const fill = (text, ...values) => text.replace(/\{(\d)\}/g, (_, k) => values[k - 1]);
const put = (element, before, ...classes) => {
  element.classList.add(...classes);
  before.before(element);
  return element;
};

// Point at a cell of a heat map and read its numbers below; they are those of
// the table behind the picture.
for (const cells of document.querySelectorAll("g[data-rows]")) {
  const figure = cells.closest("figure");
  const table = figure.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const readout = figure.querySelector(".readout");
  const matrix = figure.id === "matrix";
  const at = cells.dataset.at ? cells.dataset.at.split(" ").map(Number) : null;
  const name = (row) => row.cells[0].textContent.replace(/^\d+ /, "");
  readout.hidden = false;
  readout.textContent = words.point;
  const read = (event) => {
    const box = cells.firstElementChild.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / box.height * cells.dataset.rows);
    let j = Math.floor((event.clientX - box.left) / box.width * cells.dataset.columns);
    if (i < 0 || j < 0 || i >= cells.dataset.rows || j >= cells.dataset.columns) return;
    if (at) j = at[j];
    const value = rows[i].cells[j + 1].textContent;
    if (!matrix) {
      readout.textContent = fill(/^[-−]/.test(value) ? words.less : words.more, heads[j + 1], name(rows[i]), value.replace(/^[-−]/, ""));
    } else if (value === "") {
      readout.textContent = i === j ? name(rows[i]) : fill(words.apart, name(rows[i]), name(rows[j]));
    } else {
      readout.textContent = fill(words.beats, name(rows[i]), name(rows[j]), value);
    }
  };
  cells.ownerSVGElement.addEventListener("pointermove", read);
  cells.ownerSVGElement.addEventListener("pointerdown", read);
}

// What is long is folded: a button shows the rest of it.
const fold = (box, before, say) => {
  const button = put(document.createElement("button"), before, "unfold");
  const show = (folded) => {
    box.classList.toggle("folded", folded);
    button.textContent = folded ? say : words.fewer;
    button.setAttribute("aria-expanded", String(!folded));
  };
  button.addEventListener("click", () => show(!box.classList.contains("folded")));
  show(true);
  return show;
};
for (const figure of document.querySelectorAll("figure:has(.later)")) fold(figure, figure.querySelector("figcaption"), words.all);

// Tables are sorted by their headings, and searched by name.
for (const table of document.querySelectorAll("figure table")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const few = Number(words.collapsed);
  if (rows.length < 3) continue;
  const number = (text) => {
    const digits = text.replace("−", "-").replace(",", ".").match(/-?[\d.]+/);
    return digits ? Number(digits[0]) : NaN;
  };
  const numeric = (k) => rows.every((row) => row.cells[k].textContent.trim() === "" || !Number.isNaN(number(row.cells[k].textContent)) && /^[<>−\d\s-]/.test(row.cells[k].textContent));
  const fresh = () => [...body.rows].forEach((row, i) => row.classList.toggle("later", i >= few));
  [...table.tHead.rows[0].cells].forEach((head, k) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const by = numeric(k) ? (a, b) => (number(a.cells[k].textContent) || 0) - (number(b.cells[k].textContent) || 0)
        : (a, b) => a.cells[k].textContent.localeCompare(b.cells[k].textContent);
      body.append(...[...body.rows].sort((a, b) => down ? by(b, a) : by(a, b)));
      fresh();
    });
  });
  const scroll = table.parentElement;
  let show = () => {};
  if (rows.length > few) {
    const end = document.createElement("span");
    scroll.after(end);
    fresh();
    show = fold(table, end, `${words.all} (${rows.length})`);
  }
  if (rows.length > 12) {
    const search = put(document.createElement("input"), scroll, "search");
    search.type = "search";
    search.placeholder = words.search;
    search.setAttribute("aria-label", words.search);
    search.addEventListener("input", () => {
      const want = search.value.trim().toLowerCase();
      show(want === "" && rows.length > few);
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(want);
    });
  }
}

// A shelf is what is ticked: voters choose the first item of their order that is on it.
for (const box of document.querySelectorAll(".simulator")) {
  const orders = Uint8Array.from(atob(box.dataset.orders), (c) => c.charCodeAt(0));
  const rows = [...box.querySelectorAll("label")];
  const ticks = rows.map((row) => row.querySelector("input"));
  const choose = () => {
    const chosen = rows.map(() => 0);
    let all = 0;
    for (let from = 0; from < orders.length; from += rows.length) {
      let at = from;
      while (at < from + rows.length && !ticks[orders[at]].checked) at++;
      if (at === from + rows.length) break;
      chosen[orders[at]]++;
      all++;
    }
    rows.forEach((row, i) => {
      const share = all ? 100 * chosen[i] / all : 0;
      row.querySelector("progress").value = share;
      row.querySelector("output").textContent = ticks[i].checked ? fill(words.percent, Math.round(share)) : "";
    });
  };
  box.addEventListener("change", choose);
  box.hidden = false;
  choose();
}
