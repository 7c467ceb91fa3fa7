/* Tables that compare: a person sorts them by a column and leaves out rows. Without this script they are
 * plain tables in the order of the page. */
"use strict";
(() => {
  const element = (name, style, ...content) => {
    const made = document.createElement(name);
    if (style) made.className = style;
    made.append(...content);
    return made;
  };
  const parts = (text) => text.split(", ");

  function bring(holder, number) {
    const table = holder.querySelector("table");
    if (!table || table.tBodies[0].rows.length < 3) return;
    const order = JSON.parse(holder.dataset.table);
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...body.rows].map((row) => ({
      row,
      cells: [...row.cells].map((cell) => cell.textContent.trim()),
      text: row.textContent.toLowerCase(),
    }));

    /* A cell of several values counts as the first of them. */
    function place(column, cell) {
      const values = order[column];
      return values ? Math.min(...parts(cell).map((one) => values.indexOf(one)).filter((at) => at >= 0), values.length) : 0;
    }

    function sort(column, direction) {
      const turn = direction === "descending" ? -1 : 1;
      const sorted = [...rows].sort((one, other) => turn * (
        place(column, one.cells[column]) - place(column, other.cells[column])
        || one.cells[column].localeCompare(other.cells[column], "en", { numeric: true })
      ));
      heads.forEach((head, at) => head.setAttribute("aria-sort", at === column ? direction : "none"));
      body.append(...sorted.map((one) => one.row));
    }

    heads.forEach((head, column) => {
      const button = element("button", "table__sort", head.textContent);
      button.type = "button";
      button.addEventListener("click", () => {
        sort(column, head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending");
      });
      head.setAttribute("aria-sort", "none");
      head.replaceChildren(button);
    });

    const words = element("input", "table__words");
    words.type = "search";
    words.id = `table-words-${number}`;
    words.placeholder = "words";
    const chosen = Object.entries(order).map(([column, values]) => {
      const used = values.filter((value) => rows.some((one) => parts(one.cells[column]).includes(value)));
      if (used.length < 2) return null;
      const select = element("select", "", element("option", "", "any"));
      select.options[0].value = "";
      select.setAttribute("aria-label", heads[column].textContent);
      select.append(...used.map((value) => element("option", "", value)));
      return { column: Number(column), select, label: element("label", "", `${heads[column].textContent} `, select) };
    }).filter(Boolean);
    const status = element("p", "table__status");
    status.setAttribute("role", "status");

    function filter() {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const { row, cells, text } of rows) {
        const fits = wanted.every((word) => text.includes(word))
          && chosen.every(({ column, select }) => !select.value || parts(cells[column]).includes(select.value));
        row.hidden = !fits;
        left += fits;
      }
      status.textContent = left === rows.length ? `${left} rows` : `${left} of ${rows.length} rows`;
    }

    const bar = element("form", "table__bar", element("label", "", "Rows with ", words), ...chosen.map((one) => one.label), status);
    bar.setAttribute("aria-label", "Filter the table");
    bar.addEventListener("submit", (event) => event.preventDefault());
    bar.addEventListener("input", filter);
    // On a phone the heads are not shown; there the order is chosen like a filter.
    const by = element("select", "", ...heads.map((head) => element("option", "", head.textContent)));
    by.prepend(element("option", "", "the page"));
    by.selectedIndex = 0;
    by.setAttribute("aria-label", "Sorted as");
    by.addEventListener("input", (event) => {
      event.stopPropagation();
      if (by.selectedIndex) sort(by.selectedIndex - 1, "ascending");
      else body.append(...rows.map((one) => one.row));
    });
    bar.insertBefore(element("label", "table__by", "Sorted as ", by), status);
    holder.prepend(bar);
    filter();
  }

  document.querySelectorAll("[data-table]").forEach(bring);
})();
