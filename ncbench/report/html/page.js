"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);

  // Sort by data-value if there is one, else by text; cells without a value come last.
  const key = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
  };
  const compare = (a, b, direction) => {
    const numbers = [typeof a === "number", typeof b === "number"];
    if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1;
    const order = numbers[0] ? a - b : a.localeCompare(b, undefined, { numeric: true });
    return order * direction;
  };
  for (const table of all("table.sortable")) {
    for (const button of all("th button", table)) {
      button.addEventListener("click", () => {
        const head = button.parentElement;
        const ascending = head.getAttribute("aria-sort") !== "ascending";
        for (const other of head.parentElement.cells) {
          if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        }
        head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
        const body = table.tBodies[0];
        const keyed = Array.from(body.rows, (row) => [key(row, head.cellIndex), row]);
        keyed.sort((a, b) => compare(a[0], b[0], ascending ? 1 : -1));
        body.append(...keyed.map((pair) => pair[1]));
      });
    }
  }

  // Filter rows and figures by their attributes data-measure, data-dataset, ...
  const rows = all("table.sortable tbody tr");
  const figures = all("figure");
  const boxes = all(".chip input");
  const drawn = all("figure svg [data-series]");
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const apply = () => {
    const measure = byId("measure").value;
    const dataset = byId("dataset").value;
    const status = byId("status").value;
    const text = byId("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.series));
    const fits = (data) =>
      (!measure || data.measure === measure) && (!dataset || !data.dataset || data.dataset === dataset);
    let shown = 0;
    for (const row of rows) {
      const keep = fits(row.dataset) && !off.has(row.dataset.series) &&
        (!status || row.dataset.status.split(" ").includes(status)) &&
        text.every((word) => words.get(row).includes(word));
      row.classList.toggle("off", !keep);
      if (keep && row.closest("#cells")) shown += 1;
    }
    for (const figure of figures) figure.classList.toggle("off", !fits(figure.dataset));
    for (const part of drawn) part.classList.toggle("off", off.has(part.dataset.series));
    byId("shown").textContent = `${shown} of ${byId("cells").querySelectorAll("tbody tr").length} cells`;
    const hidden = byId("hidden-series");
    if (hidden) hidden.textContent = off.size ? `(${off.size} hidden)` : "";
  };
  let waiting = 0;
  byId("text").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  for (const control of [byId("measure"), byId("dataset"), byId("status"), ...boxes]) {
    control.addEventListener("change", apply);
  }
  apply();

  // Show a tooltip for a point in a figure, with text from the row of the record it links to.
  const tip = byId("tip");
  const about = new Map(all("#cells a[data-about]").map((link) => [link.getAttribute("href"), link]));
  const hide = () => { tip.hidden = true; };
  const show = (event) => {
    const link = event.target.closest && event.target.closest("figure svg a");
    const known = link && about.get(link.getAttribute("href"));
    if (!known) return hide();
    const row = known.closest("tr");
    const numbers = Array.from(row.cells).slice(-6, -3).map((cell) => cell.textContent);
    const trials = numbers[2] === "1" ? "1 trial" : `${numbers[2]} trials`;
    tip.textContent = `${known.dataset.about}\nmean ${numbers[0]}, standard error ${numbers[1]}, ${trials}`;
    tip.hidden = false;
    const at = link.getBoundingClientRect();
    const left = Math.min(at.left + 12, innerWidth - tip.offsetWidth - 8);
    const above = at.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above > 0 ? above : at.bottom + 8}px`;
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("scroll", hide, { passive: true });
})();
