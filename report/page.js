"use strict";
// Point at a cell of a heat map and read its numbers below; they are those of
// the table behind the picture.
for (const cells of document.querySelectorAll("g[data-rows]")) {
  const figure = cells.closest("figure");
  const table = figure.querySelector("table");
  const readout = figure.querySelector(".readout");
  const matrix = figure.id === "matrix";
  const name = (row) => row.cells[0].textContent.replace(/^\d+ /, "");
  readout.hidden = false;
  readout.textContent = "Point at a cell to read it.";
  const read = (event) => {
    const box = cells.firstElementChild.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / box.height * cells.dataset.rows);
    const j = Math.floor((event.clientX - box.left) / box.width * cells.dataset.columns);
    if (i < 0 || j < 0 || i >= cells.dataset.rows || j >= cells.dataset.columns) return;
    const row = table.tBodies[0].rows[i];
    const value = row.cells[j + 1].textContent;
    if (!matrix) {
      const more = value.startsWith("-") ? "less" : "more";
      readout.textContent = `${table.tHead.rows[0].cells[j + 1].textContent} likes ${row.cells[0].textContent} ${more} than the consensus, by ${value.replace("-", "")}`;
    } else if (value === "") {
      readout.textContent = i === j ? name(row) : `${name(row)} and ${name(table.tBodies[0].rows[j])}: not comparable`;
    } else {
      readout.textContent = `${name(row)} beats ${name(table.tBodies[0].rows[j])} with ${value} %`;
    }
  };
  cells.ownerSVGElement.addEventListener("pointermove", read);
  cells.ownerSVGElement.addEventListener("pointerdown", read);
}
