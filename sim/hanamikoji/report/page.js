"use strict";
// Sorting a table by a click on a heading, and no folded table on paper.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const table = head.closest("table");
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const key = (row) => {
      const cell = row.cells[column];
      return "key" in cell.dataset ? Number(cell.dataset.key) : cell.textContent;
    };
    const compare = (a, b) => {
      const x = key(a), y = key(b);
      if (typeof x === "number" && typeof y === "number") return x - y;
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      return x.localeCompare(y, undefined, { numeric: true });
    };
    const rows = [...body.rows].sort(compare);
    if (down) rows.reverse();
    body.append(...rows);
  });
}
window.addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not([open])")) folded.open = true;
});
