// The table of evaluations: sorted, filtered, and drawn a piece at a time, so that
// thousands of rows stay quick. What is chosen stands in the address.
(() => {
  "use strict";
  const CHUNK = 60;
  const rows = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("rows");
  const body = table.tBodies[0];
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const more = document.getElementById("more");
  const several = new Set(rows.map((row) => row.epoch)).size > 1;
  const score = (value) => (value === null ? "–" : value.toFixed(4));
  const COLUMNS = [
    { name: "task", title: "Task" },
    { name: "model", title: "Model" },
    ...(several ? [{ name: "epoch", title: "Epoch", right: true }] : []),
    { name: "status", title: "Status" },
    { name: "steps", title: "Steps", right: true, value: (r) => (r.done ?? -1) / Math.max(1, r.total) },
    { name: "ifs", title: "IFS", right: true },
    { name: "vfs", title: "VFS", right: true },
    { name: "final", title: "Final", right: true },
    { name: "reason", title: "First break", value: (r) => r.kindWords + r.reason },
    { name: "seconds", title: "Time", right: true },
  ];
  const FILTERS = ["model", "status", "kind", "level", "domain", "device"];
  const WORDS = { status: "statusWords", kind: "kindWords" };
  const texts = rows.map((row) =>
    [row.task, row.title, row.model, row.statusWords, row.place, row.kindWords, row.reason, row.why, row.level, row.domain, row.device]
      .join("\n").toLowerCase());
  const collator = new Intl.Collator(undefined, { numeric: true });
  let state = {};
  let found = [];
  let drawn = 0;

  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  function offer() {
    for (const name of FILTERS) {
      const select = form.elements[name];
      const values = new Map();
      for (const row of rows) if (row[name]) values.set(row[name], row[WORDS[name] ?? name]);
      select.append(new Option("all", ""));
      const sorted = [...values].sort((a, b) => collator.compare(a[1], b[1]));
      for (const [value, words] of sorted) select.append(new Option(words, value));
      select.closest("label").hidden = values.size < 2;
    }
  }

  function head() {
    const line = table.tHead.rows[0];
    for (const column of COLUMNS) {
      const cell = element("th", undefined, { scope: "col", class: column.right ? "n" : "" });
      const button = element("button", column.title, { type: "button", class: "sort", "data-sort": column.name });
      cell.append(button);
      line.append(cell);
    }
  }

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    state = Object.fromEntries(["q", "sort", ...FILTERS].map((name) => [name, given.get(name) ?? ""]));
    for (const name of ["q", ...FILTERS]) {
      const field = form.elements[name];
      field.value = state[name];
      if (field.value !== state[name]) state[name] = field.value = "";
    }
  }

  function write() {
    const kept = Object.entries(state).filter(([, value]) => value);
    const hash = new URLSearchParams(kept).toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  function apply() {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    found = [];
    rows.forEach((row, index) => {
      const fits = FILTERS.every((name) => !state[name] || row[name] === state[name]);
      if (fits && words.every((word) => texts[index].includes(word))) found.push(row);
    });
    const descends = state.sort.startsWith("-");
    const name = state.sort.replace("-", "");
    const column = COLUMNS.find((one) => one.name === name);
    if (column) {
      const value = column.value ?? ((row) => row[column.name]);
      found.sort((a, b) => {
        const [one, two] = [value(a), value(b)];
        if (one === null || two === null) return (one === null) - (two === null);
        const order = typeof one === "number" ? one - two : collator.compare(one, two);
        return descends ? -order : order;
      });
    }
    for (const cell of table.tHead.rows[0].cells) {
      const is = cell.firstChild.dataset.sort === name && column;
      if (is) cell.setAttribute("aria-sort", descends ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    const all = `${rows.length} evaluation${rows.length === 1 ? "" : "s"}`;
    shown.textContent = found.length === rows.length ? all : `${found.length} of ${all}`;
    body.replaceChildren();
    drawn = 0;
    draw();
  }

  function draw() {
    const piece = document.createDocumentFragment();
    for (const row of found.slice(drawn, drawn + CHUNK)) piece.append(line(row));
    drawn = Math.min(found.length, drawn + CHUNK);
    body.append(piece);
    more.hidden = drawn >= found.length;
    more.textContent = `Show more (${found.length - drawn} left)`;
  }

  function line(row) {
    const made = element("tr", undefined, { class: row.status });
    const add = (title, content, right) => {
      const cell = element("td", undefined, { "data-label": title, class: right ? "n" : "" });
      cell.append(...[content].flat());
      made.append(cell);
    };
    const name = row.href ? element("a", row.task, { href: row.href }) : element("span", row.task);
    const title = row.title && row.title !== row.task ? [name, element("small", row.title)] : [name];
    add("Task", title);
    add("Model", row.model);
    if (several) add("Epoch", String(row.epoch), true);
    add("Status", element("span", row.statusWords, { class: `chip ${row.status}` }));
    add("Steps", `${row.done ?? "–"}/${row.total || "–"}`, true);
    add("IFS", score(row.ifs) + (row.unjudged ? "*" : ""), true);
    add("VFS", score(row.vfs), true);
    add("Final", score(row.final), true);
    const broken = `${row.href}${row.href.startsWith("#") ? "&" : "#"}step=broken`;
    const words = row.place.replace(row.kind, row.kindWords);
    const isShown = row.href && row.status === "failed";
    const text = element("div", undefined, { class: "clamped" });
    if (words) text.append(element("b", isShown ? undefined : words), row.reason ? ": " : "", element("span", row.reason));
    if (words && isShown) text.firstChild.append(element("a", words, { href: broken }));
    const first = element("div", undefined, { class: "first" });
    first.append(text);
    if (row.why) text.after(element("small", `Why: ${row.why}`, { class: "clamped" }));
    const pictures = row.pictures.map((src) =>
      element("img", undefined, { src, alt: "", loading: "lazy", decoding: "async", width: 88, height: 55 }));
    const link = pictures.length && isShown
      ? [element("a", undefined, { href: broken, class: "pictures", "aria-label": `Pictures of what broke: ${row.task}, ${row.model}` })] : [];
    if (link.length) link[0].append(...pictures);
    add("First break", words ? [...link, first] : []);
    add("Time", row.seconds === null ? "–" : `${row.seconds.toFixed(1)} s`, true);
    return made;
  }

  form.addEventListener("input", () => {
    for (const name of ["q", ...FILTERS]) state[name] = form.elements[name].value;
    write();
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const name of ["q", ...FILTERS]) state[name] = form.elements[name].value = "";
    write();
    apply();
  });
  table.tHead.addEventListener("click", (event) => {
    const name = event.target.closest("button")?.dataset.sort;
    if (!name) return;
    state.sort = state.sort === name ? `-${name}` : state.sort === `-${name}` ? "" : name;
    write();
    apply();
  });
  for (const button of document.querySelectorAll("[data-filter-kind]")) {
    button.addEventListener("click", () => {
      form.elements.kind.value = state.kind = button.dataset.filterKind;
      write();
      apply();
      document.getElementById("tasks").scrollIntoView();
    });
  }
  more.addEventListener("click", draw);
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && drawn < found.length) draw();
  }, { rootMargin: "600px" }).observe(more);
  addEventListener("hashchange", () => {
    if (new URLSearchParams(location.hash.slice(1)).has("item")) return;
    read();
    apply();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest?.("input, select, textarea")) {
      event.preventDefault();
      form.elements.q.focus();
    }
  });
  offer();
  head();
  read();
  apply();
})();
