// The page of `iwr review`: one picture after the other, by keyboard.
"use strict";

const at = (id) => document.getElementById(id);
const DECISIONS = { accept: "accepted", mask: "masked", reject: "rejected" };
const SAID = {
  accepted: "Accepted: it is the reference now.",
  masked: "Masked.",
  rejected: "Rejected: it is not shown again.",
};
const TOLD_MS = 6000;
const TALL = 2.2;

const state = { cases: [], decisions: [], stale: [], files: [], now: 0, view: "side", real: false, flipped: false, drawing: false, fresh: [], busy: false };
let toast = 0;

const tell = (words, isBad = false) => {
  clearTimeout(toast);
  at("told").textContent = words;
  at("told").hidden = false;
  at("told").classList.toggle("bad", isBad);
  toast = setTimeout(() => { at("told").hidden = true; }, TOLD_MS);
};

const isOpen = (number) => !state.decisions[number] && !state.stale[number];
const open = () => state.cases.map((_, number) => number).filter(isOpen);

const chip = (words, kind = "") => {
  const made = document.createElement("span");
  made.className = `chip ${kind}`;
  made.textContent = words;
  return made;
};

// A region over a picture, in shares of it.
const region = (box, picture, kind) => {
  const made = document.createElement("div");
  made.className = `region ${kind}`;
  const shares = { left: box.x / picture.wide, top: box.y / picture.high, width: box.width / picture.wide, height: box.height / picture.high };
  for (const [edge, share] of Object.entries(shares)) made.style[edge] = `${share * 100}%`;
  return made;
};

// The page's picture in its own pixels: masks and regions are given in them.
const shotImage = document.querySelector('[data-of="shot"] img');
const size = () => ({ wide: shotImage.naturalWidth, high: shotImage.naturalHeight });
// Before it is there, nothing says where a region is; until then it has no size, or that
// of the picture before.
const isThere = (image) => image.complete && image.naturalWidth > 0;

const drawRegions = () => {
  document.querySelectorAll(".region").forEach((old) => old.remove());
  const one = state.cases[state.now];
  if (!one || !isThere(shotImage)) return;
  const shot = size();
  for (const sheet of document.querySelectorAll(".sheet")) {
    const image = sheet.querySelector("img");
    if (!isThere(image)) continue;
    // A reference of another scale shows the same region in its own pixels.
    const high = (image.naturalHeight * shot.wide) / image.naturalWidth;
    const picture = { wide: shot.wide, high };
    for (const box of one.masks) sheet.append(region(box, picture, ""));
    for (const box of state.fresh) sheet.append(region(box, picture, "fresh"));
  }
};

const showPictures = (one) => {
  const there = { reference: one.has_reference, shot: true, diff: one.has_diff };
  for (const frame of document.querySelectorAll(".frame")) {
    const image = frame.querySelector("img");
    const which = frame.dataset.of;
    frame.classList.toggle("empty", !there[which]);
    image.onload = () => {
      // Whole in sight, but for pictures of whole pages, which would be tiny then.
      frame.classList.toggle("fits", image.naturalHeight < TALL * image.naturalWidth);
      drawRegions();
    };
    if (there[which]) image.src = `${state.now}/${which}`;
    else image.removeAttribute("src");
  }
};

const showView = () => {
  const only = { side: null, diff: "diff", flip: state.flipped ? "shot" : "reference" }[state.view];
  at("figure-reference").hidden = only !== null && only !== "reference";
  at("figure-shot").hidden = only !== null && only !== "shot";
  at("figure-diff").hidden = only !== "diff";
  at("pair").className = `pair ${state.view}${state.real ? " real" : ""}${state.drawing ? " is-drawing" : ""}`;
  for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === state.view));
  at("zoom").setAttribute("aria-pressed", String(state.real));
  // Pictures in their own size are scrolled in their frames, by keyboard as well.
  for (const frame of document.querySelectorAll(".frame")) state.real ? frame.setAttribute("tabindex", "0") : frame.removeAttribute("tabindex");
  at("drawing").hidden = !state.drawing;
  drawRegions();
};

const showFacts = (one) => {
  const decision = state.decisions[state.now];
  const facts = [chip(`${one.similarity.toFixed(4)} alike`, one.failed ? "bad" : ""), chip(`minimum ${one.minimum}`)];
  if (one.failed) facts.push(chip("below its minimum", "bad"));
  if (one.unstable) facts.push(chip(`unstable: ${one.unstable}`, "warn"));
  if (one.clipped) facts.push(chip("the whole page was cut", "warn"));
  if (decision) facts.push(chip(decision, decision === "rejected" ? "bad" : "good"));
  const place = document.createElement("code");
  place.textContent = one.place;
  facts.push(place);
  at("facts").replaceChildren(...facts);
  const notice = state.stale[state.now] || (one.has_reference ? "" : "The task has no such picture yet: accept this one, or capture it.");
  at("notice").textContent = notice;
  at("notice").hidden = !notice;
  const can = isOpen(state.now) && !state.busy;
  at("accept").disabled = at("reject").disabled = !can;
  at("mask").disabled = !can || !one.can_mask;
  at("undo").disabled = !decision || state.busy;
};

const show = () => {
  const count = state.cases.length;
  const left = open().length;
  const isDone = state.now >= count;
  at("main").hidden = isDone;
  at("done").hidden = !isDone;
  at("progress").textContent = isDone ? "Done" : `${state.now + 1} of ${count}`;
  at("left").textContent = left ? `${left} to decide` : "all decided";
  at("share").value = (count - left) / count;
  at("previous").disabled = state.now === 0;
  at("next").disabled = isDone;
  if (isDone) { showDone(); return; }
  const one = state.cases[state.now];
  at("headline").textContent = `${one.task}: ${one.step ? `step ${one.step} of ${one.steps}` : "the start picture"}`;
  at("said").textContent = one.title ? `${one.title} · ${one.said}` : one.said;
  at("image").textContent = one.image;
  at("whose").textContent = one.whose;
  document.title = `${state.now + 1} of ${count} · ${one.task} · Review`;
  showFacts(one);
  showView();
};

const showDone = () => {
  const counts = Object.values(DECISIONS).map((name) => `${state.decisions.filter((one) => one === name).length} ${name}`);
  const left = open().length;
  at("sum").textContent = `${counts.join(", ")}${left ? `, ${left} left open` : ""}.`;
  at("wrote").textContent = state.files.length ? "Written:" : "No file was written.";
  at("files").replaceChildren(...state.files.map((file) => {
    const line = document.createElement("li");
    line.textContent = file;
    return line;
  }));
  document.title = "Done · Review";
};

const go = (number) => {
  state.now = Math.min(Math.max(number, 0), state.cases.length);
  state.fresh = [];
  state.drawing = false;
  state.flipped = false;
  history.replaceState(null, "", `#${state.now + 1}`);
  if (state.now < state.cases.length) {
    showPictures(state.cases[state.now]);
    const next = state.now + 1;
    if (next < state.cases.length) for (const which of ["reference", "shot"]) new Image().src = `${next}/${which}`;
  }
  show();
  scrollTo(0, 0);
};

// The next one to decide on: behind this one, else from the start.
const goOn = () => {
  const left = open();
  const next = left.find((number) => number > state.now) ?? left[0];
  go(next ?? state.cases.length);
};

const post = async (action, boxes = []) => {
  if (state.busy) return false;
  state.busy = true;
  show();
  try {
    const answer = await fetch(`${state.now}/${action}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ boxes }) });
    const told = await answer.json().catch(() => ({ error: `The answer was ${answer.status}.` }));
    const { error, ...progress } = told;
    Object.assign(state, progress);
    if (error) tell(error, true);
    return !error;
  } catch {
    tell("The review has ended: nobody answers. Start `iwr review` again.", true);
    return false;
  } finally {
    state.busy = false;
    show();
  }
};

const decide = async (action, boxes) => {
  if (!isOpen(state.now) || state.now >= state.cases.length) return;
  if (!await post(DECISIONS[action], boxes)) return;
  tell(SAID[DECISIONS[action]]);
  goOn();
};

const undo = async () => {
  if (!state.decisions[state.now]) return;
  if (await post("undo")) tell("Undone.");
};

const draw = (isOn) => {
  if (isOn && (!isOpen(state.now) || !state.cases[state.now]?.can_mask)) return;
  state.drawing = isOn;
  state.fresh = [];
  if (isOn) state.view = "side";
  show();
};

const save = () => {
  if (!state.fresh.length) { tell("Draw a region first.", true); return; }
  decide("mask", state.fresh);
};

// Regions by keyboard: a new one in the middle, moved, or made larger and smaller.
const STEP = 8; // pixels of the page's picture
const within = (value, least, most) => Math.min(Math.max(value, least), most);
const add = () => {
  if (!isLoaded()) return;
  const { wide, high } = size();
  state.fresh.push({ x: (wide * 3) / 8, y: (high * 3) / 8, width: wide / 4, height: high / 4 });
  drawRegions();
};
const nudge = (right, down) => (event) => {
  const box = state.fresh.at(-1);
  if (!box) { add(); return; }
  const { wide, high } = size();
  if (event.shiftKey) {
    box.width = within(box.width + right * STEP, STEP, wide - box.x);
    box.height = within(box.height + down * STEP, STEP, high - box.y);
  } else {
    box.x = within(box.x + right * STEP, 0, wide - box.width);
    box.y = within(box.y + down * STEP, 0, high - box.height);
  }
  drawRegions();
};

const drop = () => { state.fresh.pop(); drawRegions(); };

const look = (view) => { state.view = view; state.flipped = false; show(); };
const flip = () => { state.flipped = state.view === "flip" ? !state.flipped : true; state.view = "flip"; show(); };
const zoom = () => { state.real = !state.real; show(); };

const isLoaded = () => [...document.querySelectorAll(".sheet img")].every((image) => !image.checkVisibility() || isThere(image));

// Drawing: from where the pointer goes down to where it goes up, in the shot's pixels.
const place = (event, sheet) => {
  const edges = sheet.getBoundingClientRect();
  const image = sheet.querySelector("img");
  const wide = size().wide;
  const scale = wide / edges.width;
  const high = (image.naturalHeight * wide) / image.naturalWidth;
  const x = Math.min(Math.max((event.clientX - edges.left) * scale, 0), wide);
  const y = Math.min(Math.max((event.clientY - edges.top) * scale, 0), high);
  return { x, y };
};

for (const sheet of document.querySelectorAll(".sheet")) {
  let from = null;
  const box = (to) => ({ x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) });
  sheet.addEventListener("pointerdown", (event) => {
    if (!state.drawing || event.button !== 0 || !isLoaded()) return;
    event.preventDefault();
    sheet.setPointerCapture(event.pointerId);
    from = place(event, sheet);
    state.fresh.push(box(from));
  });
  sheet.addEventListener("pointermove", (event) => {
    if (!from) return;
    state.fresh[state.fresh.length - 1] = box(place(event, sheet));
    drawRegions();
  });
  const end = () => {
    if (!from) return;
    from = null;
    const last = state.fresh.at(-1);
    if (last && (last.width < 2 || last.height < 2)) state.fresh.pop();
    drawRegions();
  };
  sheet.addEventListener("pointerup", end);
  sheet.addEventListener("pointercancel", end);
  sheet.addEventListener("dragstart", (event) => event.preventDefault());
}

const KEYS = {
  a: () => decide("accept"),
  m: () => draw(!state.drawing),
  r: () => decide("reject"),
  u: undo,
  n: goOn,
  ArrowRight: () => go(state.now + 1),
  ArrowLeft: () => go(state.now - 1),
  1: () => look("side"),
  2: () => look("flip"),
  3: () => look("diff"),
  " ": flip,
  z: zoom,
  "?": () => at("help").showModal(),
};
const DRAWING_KEYS = {
  Enter: save,
  Backspace: drop,
  Escape: () => draw(false),
  m: () => draw(false),
  n: add,
  ArrowLeft: nudge(-1, 0),
  ArrowRight: nudge(1, 0),
  ArrowUp: nudge(0, -1),
  ArrowDown: nudge(0, 1),
  z: zoom,
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isPressed = [" ", "Enter"].includes(key) && event.target instanceof HTMLButtonElement;
  const act = (state.drawing ? DRAWING_KEYS : KEYS)[key];
  const isScrolled = !state.drawing && key.startsWith("Arrow") && event.target.matches?.(".frame");
  if (!act || isPressed || isScrolled || !state.cases.length) return;
  event.preventDefault();
  act(event);
});

const BUTTONS = { accept: KEYS.a, mask: KEYS.m, reject: KEYS.r, undo, previous: KEYS.ArrowLeft, next: KEYS.ArrowRight, keys: KEYS["?"], zoom, save, drop, leave: () => draw(false) };
for (const [id, act] of Object.entries(BUTTONS)) {
  // The keys stay the page's: a button that kept the focus would take Enter and Space.
  at(id).addEventListener("click", () => { at(id).blur(); act(); });
}
for (const button of document.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => { button.blur(); look(button.dataset.view); });
}

(async () => {
  Object.assign(state, await (await fetch("cases.json")).json());
  const asked = Number(location.hash.slice(1));
  if (Number.isInteger(asked) && asked > 0) go(asked - 1);
  else { state.now = -1; goOn(); }
})();
