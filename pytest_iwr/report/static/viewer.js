// The step viewer: reference and page side by side, under a slider, flipped, as an
// onion skin, or their differences. What is chosen stands in the address.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const MODES = ["side", "slider", "flip", "onion", "diff"];
  const TALL = 2.2;
  const CLOSEUPS = 4;
  const CLOSEST_PX = 320;
  const CLOSE_PX = [260, 110];
  const ROOM = [24, 16];
  const NAMES = { reference: "Reference", shot: "Page", diff: "Differences" };
  const LAYERS = { words: "w", moved: "m", masks: "k" };
  const dialog = document.getElementById("viewer");
  const stage = dialog.querySelector(".stage");
  const at = document.getElementById("viewer-at");
  const keys = document.getElementById("keys");
  const words = document.getElementById("viewer-words");
  const nothing = document.getElementById("viewer-nothing");
  const mark = document.getElementById("viewer-mark");
  const closeups = document.getElementById("viewer-closeups");
  const figures = Object.fromEntries(
    [...stage.querySelectorAll("figure")].map((figure) => [figure.dataset.side, figure]));
  let data = { steps: [] };
  let state = null;
  let opener = null;

  const stepOf = (number) => data.steps.find((step) => step.n === number);
  const broken = () => data.steps.find((step) => step.status === "failed" || step.status === "different");
  const seen = () => data.steps.filter((step) => step.shot || step.reference);

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (!given.has("step")) return null;
    const asked = given.get("step");
    const step = asked === "broken" ? broken() ?? seen().at(-1) : stepOf(Number(asked));
    if (!step) return null;
    const mode = given.get("mode");
    return {
      item: given.get("item") ?? "",
      step: step.n,
      mode: MODES.includes(mode) ? mode : "side",
      layers: (given.get("show") ?? "words,moved,masks").split(",").filter((name) => name in LAYERS),
      zoom: given.get("zoom") === "real",
    };
  }

  function write() {
    const hash = new URLSearchParams();
    if (state.item) hash.set("item", state.item);
    hash.set("step", state.step);
    if (state.mode !== "side") hash.set("mode", state.mode);
    if (state.layers.length < 3) hash.set("show", state.layers.join(","));
    if (state.zoom) hash.set("zoom", "real");
    history.replaceState(null, "", `#${hash}`);
  }

  function open(number, item = "") {
    const before = state ?? { mode: "side", layers: Object.keys(LAYERS), zoom: false };
    opener = document.activeElement;
    state = { ...before, item, step: number };
    show();
  }

  function show() {
    write();
    if (!dialog.open) {
      dialog.showModal();
      // It takes the keys; its outline is for those who come to it with Tab.
      stage.classList.add("quiet");
      stage.focus();
    }
    draw();
  }

  function draw() {
    const step = stepOf(state.step);
    document.getElementById("viewer-title").textContent = `${step.n} · ${step.said}`;
    mark.textContent = step.mark;
    mark.className = `chip ${step.status}`;
    const amounts = { words: step.missing.length + step.added.length, moved: step.moved.length, masks: step.masks.length };
    for (const button of dialog.querySelectorAll("[data-layer]")) {
      button.setAttribute("aria-pressed", state.layers.includes(button.dataset.layer));
      button.classList.toggle("idle", !amounts[button.dataset.layer]);
    }
    dialog.querySelector('[data-do="zoom"]').setAttribute("aria-pressed", state.zoom);
    const list = seen();
    const place = list.findIndex((one) => one.n === state.step);
    dialog.querySelector('[data-do="previous"]').disabled = place === 0;
    dialog.querySelector('[data-do="next"]').disabled = place === list.length - 1;
    dialog.querySelector('[data-do="broken"]').disabled = !broken();

    const both = Boolean(step.reference && step.shot);
    const mode = both ? state.mode : step.diff && state.mode === "diff" ? "diff" : "side";
    for (const button of dialog.querySelectorAll("[data-mode]")) {
      button.setAttribute("aria-pressed", button.dataset.mode === mode);
      button.disabled = !both && button.dataset.mode !== mode && !(button.dataset.mode === "diff" && step.diff);
    }
    const blends = mode === "diff" && !step.diff;
    stage.dataset.mode = blends ? "blend" : mode;
    stage.classList.toggle("real", state.zoom);
    const sizes = Object.values(step.compared);
    const width = Math.max(1, ...sizes.map((size) => size[0]));
    const tall = Math.max(1, ...sizes.map((size) => size[1])) / width;
    // Whole in sight, but for pictures of whole pages, which would be tiny then.
    stage.style.setProperty("--fit", tall > TALL ? "100%" : `calc((100cqh - 40px) / ${tall})`);
    stage.dataset.width = width;
    stage.style.setProperty("--base", `${width}px`);
    for (const [side, figure] of Object.entries(figures)) fill(figure, step, side);
    figures.diff.hidden = mode !== "diff" || blends;
    figures.reference.hidden = !step.reference || (mode === "diff" && !blends);
    figures.shot.hidden = !step.shot || (mode === "diff" && !blends);
    at.closest("label").hidden = mode !== "slider" && mode !== "onion";
    nothing.hidden = Boolean(both || mode === "diff");
    nothing.textContent = step.shot
      ? "There is no picture of the reference for this step."
      : step.status === "not_reached" ? "The page did not get to this step." : "There is no picture of the page.";
    move();
    tell(step);
    magnify(step, mode === "side" && both && !state.zoom);
  }

  function fill(figure, step, side) {
    const picture = step[side];
    const image = figure.querySelector("img");
    if (!picture) {
      image.removeAttribute("src");
      return;
    }
    const canvas = figure.querySelector(".canvas");
    image.width = picture.width;
    image.height = picture.height;
    image.alt = `${NAMES[side]}, step ${step.n}: ${step.said}`;
    const source = window.iwrPicture ? window.iwrPicture(picture.src) : picture.src;
    if (image.getAttribute("src") !== source) image.src = source;
    const link = figure.querySelector("a");
    figure.querySelector("figcaption").firstChild.textContent =
      NAMES[side] + (picture.isFrame ? ", from the task's video " : " ");
    link.textContent = picture.exact ? "exact PNG" : "";
    link.hidden = !picture.exact;
    if (picture.exact) link.href = picture.exact;
    const size = step.compared[side] ?? step.compared.shot ?? [picture.width, picture.height];
    figure.style.setProperty("--own", `${size[0]}px`);
    figure.style.setProperty("--share", size[0] / stage.dataset.width);
    canvas.querySelector("svg")?.remove();
    if (side !== "diff") canvas.append(drawing(step, side, size));
  }

  function drawing(step, side, [width, height]) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const box = ([x, y, w, h], name, text) => {
      const rect = document.createElementNS(SVG, "rect");
      for (const [key, value] of Object.entries({ x, y, width: w, height: h, class: name }))
        rect.setAttribute(key, value);
      if (text) {
        const title = document.createElementNS(SVG, "title");
        title.textContent = text;
        rect.append(title);
      }
      svg.append(rect);
    };
    if (state.layers.includes("masks")) for (const mask of step.masks) box(mask, "mask", "masked: not compared");
    if (state.layers.includes("moved"))
      for (const moved of step.moved) box(moved[side], "moved", `moved: ${moved.text}`);
    if (state.layers.includes("words")) {
      const [list, name, word] = side === "reference"
        ? [step.missing, "missing", "missing on the page"] : [step.added, "added", "not on the reference"];
      for (const [x, y, w, h, text] of list) box([x, y, w, h], name, `${word}: ${text}`);
    }
    return svg;
  }

  function made(name, kind, text) {
    const element = document.createElement(name);
    element.className = kind;
    element.textContent = text;
    return element;
  }

  function tell(step) {
    const parts = [];
    const note = (kind, text) => {
      const part = made("span", "", text);
      if (kind) part.prepend(made("i", `swatch ${kind}`, ""));
      parts.push(part);
    };
    const list = (kind, title, found) => {
      if (!found.length) return;
      const some = found.slice(0, 12).map((word) => word[4]).join(" ");
      note(kind, `${title} (${found.length}): ${some}${found.length > 12 ? " …" : ""}`);
    };
    if (step.similarity !== null) note("", `${step.similarity.toFixed(4)} alike`);
    if (state.layers.includes("words")) {
      list("missing", "missing words", step.missing);
      list("added", "added words", step.added);
    }
    if (state.layers.includes("moved") && step.moved.length) note("moved", `moved blocks (${step.moved.length})`);
    if (state.layers.includes("masks") && step.masks.length) note("mask", `masks (${step.masks.length})`);
    const lines = [];
    if (step.reason) lines.push(made("p", "reason", step.reason));
    if (step.why) lines.push(made("p", "", `Why: ${step.why}`));
    if (parts.length) {
      const line = made("p", "found", "");
      line.append(...parts);
      lines.push(line);
    }
    words.replaceChildren(...lines);
    words.hidden = !lines.length;
  }

  // Where words are missing or added: the same regions of both, in real size.
  function magnify(step, isWanted) {
    const [all, area] = [regions(step), step.compared.shot];
    const some = isWanted && state.layers.includes("words") && area
      ? all.filter((one) => one.right - one.left < Math.max(area[0] * 0.7, CLOSEST_PX)).slice(0, CLOSEUPS) : [];
    closeups.hidden = !some.length;
    closeups.replaceChildren(...some.map((region) => {
      const pair = made("div", "closeup", "");
      for (const side of ["reference", "shot"]) pair.append(crop(step, side, region));
      return pair;
    }));
    if (!some.length) return;
    const more = all.length - some.length;
    closeups.prepend(made("h3", "", `Close-ups, in real size${more ? `; ${more} more in the pictures` : ""}`));
  }

  function regions(step) {
    const found = [];
    for (const [x, y, w, h] of [...step.missing, ...step.added]) {
      const wide = Math.max(ROOM[0], (CLOSE_PX[0] - w) / 2);
      const high = Math.max(ROOM[1], (CLOSE_PX[1] - h) / 2);
      let one = { left: x - wide, top: y - high, right: x + w + wide, bottom: y + h + high };
      for (let other; (other = found.find((each) => meets(each, one)));) {
        found.splice(found.indexOf(other), 1);
        one = { left: Math.min(one.left, other.left), top: Math.min(one.top, other.top),
          right: Math.max(one.right, other.right), bottom: Math.max(one.bottom, other.bottom) };
      }
      found.push(one);
    }
    return found.sort((a, b) => a.top - b.top || a.left - b.left);
  }

  const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  function crop(step, side, region) {
    const size = step.compared[side];
    const svg = drawing(step, side, size);
    const [width, height] = [region.right - region.left, region.bottom - region.top].map(Math.round);
    const left = Math.max(0, Math.min(region.left, size[0] - width));
    const top = Math.max(0, Math.min(region.top, size[1] - height));
    for (const [key, value] of Object.entries({ viewBox: `${left} ${top} ${width} ${height}`, width, height, role: "img", "aria-label": `${NAMES[side]}, close` }))
      svg.setAttribute(key, value);
    svg.removeAttribute("aria-hidden");
    svg.removeAttribute("preserveAspectRatio");
    const image = document.createElementNS(SVG, "image");
    const href = figures[side].querySelector("img").getAttribute("src");
    for (const [key, value] of Object.entries({ href, width: size[0], height: size[1], preserveAspectRatio: "none" }))
      image.setAttribute(key, value);
    svg.prepend(image);
    return svg;
  }

  function move() {
    stage.style.setProperty("--at", `${at.value}%`);
    stage.style.setProperty("--part", at.value / 100);
  }

  function step(by) {
    const list = seen();
    const next = list[list.findIndex((one) => one.n === state.step) + by];
    if (next) { state.step = next.n; show(); }
  }

  const ACTIONS = {
    previous: () => step(-1),
    next: () => step(1),
    broken: () => { const one = broken(); if (one) { state.step = one.n; show(); } },
    zoom: () => { state.zoom = !state.zoom; show(); },
    help: () => {
      keys.hidden = !keys.hidden;
      dialog.querySelector('[data-do="help"]').setAttribute("aria-expanded", !keys.hidden);
    },
    close: () => dialog.close(),
  };
  const KEYS = {
    ArrowLeft: "previous", ArrowRight: "next", b: "broken", z: "zoom", "?": "help",
  };

  function choose(mode) {
    state.mode = mode;
    stage.classList.remove("flipped");
    show();
  }

  function toggle(layer) {
    state.layers = Object.keys(LAYERS).filter((name) => state.layers.includes(name) !== (name === layer));
    show();
  }

  dialog.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.mode) choose(button.dataset.mode);
    else if (button?.dataset.layer) toggle(button.dataset.layer);
    else if (button?.dataset.do) ACTIONS[button.dataset.do]();
    else if (state.mode === "flip" && event.target.closest(".canvas")) stage.classList.toggle("flipped");
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inRange = event.target === at && event.key.startsWith("Arrow");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const layer = Object.keys(LAYERS).find((name) => LAYERS[name] === key);
    if (inRange) return;
    if (/^[1-5]$/.test(key)) choose(MODES[key - 1]);
    else if (layer) toggle(layer);
    else if (key in KEYS) ACTIONS[KEYS[key]]();
    else if (key === "," || key === ".") {
      at.value = Number(at.value) + (key === "," ? -5 : 5);
      move();
    } else if (key === " " && state.mode === "flip" && event.target.tagName !== "BUTTON")
      stage.classList.toggle("flipped");
    else return;
    event.preventDefault();
  });
  stage.addEventListener("blur", () => stage.classList.remove("quiet"));
  at.addEventListener("input", move);
  stage.addEventListener("pointerdown", (event) => {
    if (stage.dataset.mode !== "slider" || event.button) return;
    const drag = (moved) => {
      const box = figures.reference.querySelector(".canvas").getBoundingClientRect();
      at.value = (100 * (moved.clientX - box.left)) / box.width;
      move();
    };
    const end = () => {
      stage.removeEventListener("pointermove", drag);
      removeEventListener("pointerup", end);
    };
    drag(event);
    stage.addEventListener("pointermove", drag);
    addEventListener("pointerup", end);
    event.preventDefault();
    stage.focus();
  });
  dialog.addEventListener("close", () => {
    const hash = state?.item ? `#item=${encodeURIComponent(state.item)}` : location.pathname + location.search;
    history.replaceState(null, "", hash);
    opener?.focus?.();
  });

  window.iwrViewer = {
    /** Show the steps of one evaluation; opens where the address asks for it. */
    use(steps) {
      data = steps;
      const asked = read();
      if (asked) { state = asked; show(); }
    },
    open,
    close: () => dialog.open && dialog.close(),
  };
  addEventListener("hashchange", () => {
    const asked = read();
    if (asked) { state = asked; show(); }
  });
})();
