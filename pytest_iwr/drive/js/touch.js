// Aiming at an element and watching that real input arrives there and nowhere else.

const WATCHED = [
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
  "touchstart", "touchend", "mouseover", "mousemove", "keydown", "beforeinput", "dragstart", "drop", "dragend",
];
const GUARDED = new Set(["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "touchstart"]);

let armed = null;

const say = (message) => {
  if (globalThis.iwrSay) globalThis.iwrSay(JSON.stringify(wellFormed(message)));
};

const isMeant = (path) => armed.accepted.some((el) => path.includes(el));

const onEvent = (event) => {
  if (!armed || !event.isTrusted) return;
  const path = event.composedPath();
  if (event.type === "keydown") keepTrail(event.type, path);
  const key = event.type === "keydown" ? event.key : event.type === "beforeinput" ? event.data : undefined;
  if (key !== undefined) {
    const target = path[0] instanceof Element ? path[0] : null;
    say({ type: event.type, key, on: isEditable(target) ? "field" : "page" });
    return;
  }
  if (!armed.accepted) return;
  const meant = isMeant(path);
  if (!meant && armed.guards && GUARDED.has(event.type)) {
    event.stopImmediatePropagation();
    event.preventDefault();
    say({ type: "intercepted", by: describe(path.find((el) => el instanceof Element && !isMasked(el))) });
    return;
  }
  if (!meant) return;
  keepTrail(event.type, path);
  // Once it went down on the right element, what the page redraws is the page's own.
  if (event.type === "pointerdown" || event.type === "touchstart") armed.guards = false;
  if (armed.said.has(event.type)) return;
  armed.said.add(event.type);
  say({ type: event.type });
};

// `document.open()` takes listeners away, so they are put there again for each action.
const listen = () => {
  for (const type of WATCHED) addEventListener(type, onEvent, { capture: true, passive: false });
};

// Where to touch an element: a point of it that a person can see and reach.
const DATED = new Set(["date", "time", "month", "week", "datetime-local"]);
const handleOf = (el, verb) => {
  if (!(el instanceof HTMLInputElement)) return null;
  const r = rectOf(el);
  const middle = (r.top + r.bottom) / 2;
  // Digits begin in the first part of a date.
  if (verb === "type" && DATED.has(el.type)) {
    return { x: r.left + parseFloat(styleOf(el).borderLeftWidth) + parseFloat(styleOf(el).paddingLeft) + 6, y: middle };
  }
  if (verb !== "drag" || el.type !== "range") return null;
  const [low, high] = [Number(el.min || 0), Number(el.max || 100)];
  const share = high > low ? (el.valueAsNumber - low) / (high - low) : 0;
  const along = (from, to) => from + (to - from) * share;
  const half = 8; // of the knob that Chromium draws
  if (r.bottom - r.top > r.right - r.left) return { x: (r.left + r.right) / 2, y: along(r.bottom - half, r.top + half) };
  return { x: along(r.left + half, r.right - half), y: middle };
};

const pointsOf = (el, verb) => {
  const shown = shownBy(el) || el;
  const boxes = [...shown.getClientRects()].filter((r) => areaOf(r) > 1);
  boxes.sort((a, b) => areaOf(b) - areaOf(a));
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const handle = handleOf(el, verb);
  const points = handle ? [handle] : [];
  for (const box of boxes.slice(0, 3)) {
    const part = meet(seenPart(shown, box), view);
    if (areaOf(part) <= 0) continue;
    for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5]]) {
      points.push({ x: part.left + (part.right - part.left) * fx, y: part.top + (part.bottom - part.top) * fy });
    }
  }
  return points;
};

const isInView = (el) => {
  const r = rectOf(shownBy(el) || el);
  const y = (r.top + r.bottom) / 2;
  const x = (r.left + r.right) / 2;
  const outer = scrollerOf(parentOf(el));
  const frame = outer && outer !== document.scrollingElement ? meet(rectOf(outer), { left: 0, top: 0, right: innerWidth, bottom: innerHeight })
    : { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  return y >= frame.top && y <= frame.bottom && x >= frame.left && x <= frame.right;
};

const acceptedBy = (el) => {
  const accepted = [el, ...labelsOf(el)];
  // A label stands for its field, and a field inside a label is touched with it.
  if (el instanceof HTMLLabelElement && el.control) accepted.push(el.control);
  const label = el.closest("label");
  if (label && isControl(el)) accepted.push(label);
  return accepted;
};

const isHit = (el, hit) => acceptedBy(el).some((part) => contains(part, hit));

// Text, or a button, that lets the pointer through to what it stands in.
const letsThrough = (el, hit) =>
  !isHit(el, hit) && styleOf(el).pointerEvents === "none" && contains(hit, el);

const receives = (el, hit) => Boolean(hit) && (isHit(el, hit) || letsThrough(el, hit));

const boxOf = (el) => {
  const r = (shownBy(el) || el).getBoundingClientRect();
  const round = (value) => Math.round(value * 100) / 100;
  return { x: round(r.left), y: round(r.top), width: round(r.width), height: round(r.height) };
};

const elementRecord = (el) => ({
  role: roleOf(el),
  name: nameOf(el).slice(0, 120),
  tag: el.tagName.toLowerCase(),
  box: boxOf(el),
  words: describe(el),
});

// Bring into view, choose a point, look who is there.
const aim = (el, verb) => {
  if (!isInView(el)) {
    (shownBy(el) || el).scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    fresh();
  }
  let cover = null;
  const points = pointsOf(el, verb);
  for (const point of points) {
    const hit = deepFromPoint(point.x, point.y);
    if (receives(el, hit)) return { ...point, hit, isTarget: true };
    cover = cover || { ...point, hit, isTarget: false };
  }
  return cover || { x: 0, y: 0, hit: null, isTarget: false };
};

const arm = (el, { guards = false, hit = null } = {}) => {
  const accepted = el ? acceptedBy(el) : null;
  if (accepted && hit && !accepted.some((part) => contains(part, hit))) accepted.push(hit);
  armed = { accepted, guards, said: new Set() };
  forgetTrail();
  listen();
};

const disarm = () => {
  armed = null;
};

const canScroll = (el, dx, dy) => {
  const isRoot = el === document.scrollingElement;
  const s = getComputedStyle(el);
  // What the page's body says of overflow holds for the window, unless its root says so.
  const outer = isRoot && s.overflowX === "visible" && s.overflowY === "visible" && document.body ? getComputedStyle(document.body) : s;
  const free = (value) => value === "auto" || value === "scroll" || value === "overlay" || (isRoot && value !== "hidden" && value !== "clip");
  const roomY = dy > 0 ? el.scrollHeight - el.clientHeight - el.scrollTop : dy < 0 ? el.scrollTop : el.scrollHeight - el.clientHeight;
  const roomX = dx > 0 ? el.scrollWidth - el.clientWidth - el.scrollLeft : dx < 0 ? el.scrollLeft : 0;
  return (free(outer.overflowY) && roomY > 1 && (dy !== 0 || dx === 0)) || (free(outer.overflowX) && dx !== 0 && roomX > 1);
};

const isViewport = (el) => {
  if (el === document.documentElement) return true;
  const root = getComputedStyle(document.documentElement);
  return el === document.body && root.overflowX === "visible" && root.overflowY === "visible";
};

const scrollerOf = (el, dx = 0, dy = 0) => {
  for (let up = el; up && !isViewport(up); up = parentOf(up)) {
    if (canScroll(up, dx, dy)) return up;
  }
  return document.scrollingElement || document.documentElement;
};

const largestScroller = (root, dx, dy) => {
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const size = (el) => areaOf(meet(rectOf(el), view));
  let best = null;
  for (const inner of elementsIn(root)) {
    const isBetter = canScroll(inner, dx, dy) && isShown(inner) && (!best || size(inner) > size(best));
    if (isBetter && !isViewport(inner)) best = inner;
  }
  return best;
};

// What scrolls as the page: the window, or what takes its place where it never scrolls.
const MOST_OF_IT = 0.4;
const pageScroller = (dx, dy) => {
  const root = document.scrollingElement || document.documentElement;
  if (!root || canScroll(root, 0, 1) || canScroll(root, 0, -1) || canScroll(root, dx, dy)) return root;
  const inner = largestScroller(root, 0, 0) || largestScroller(root, dx, dy);
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  return inner && areaOf(meet(rectOf(inner), view)) > MOST_OF_IT * areaOf(view) ? inner : root;
};

// What scrolls when a person scrolls `el`: itself, else its largest scrolling part, else
// what it lies in.
const scrollerFor = (el, dx, dy) => {
  if (!el) return pageScroller(dx, dy);
  if (canScroll(el, dx, dy)) return el;
  return largestScroller(el, dx, dy) || scrollerOf(el, dx, dy);
};

// The way to `el` by the wheel: the outermost scroller that does not show what it must,
// and how far to turn it; `null` when `el` is in view.
const wayTo = (el) => {
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const chain = [];
  for (let up = parentOf(el); up && !isViewport(up); up = parentOf(up)) {
    const scrolls = [[0, 1], [0, -1], [1, 0], [-1, 0]].some(([dx, dy]) => canScroll(up, dx, dy));
    if (scrolls) chain.unshift(up);
  }
  const root = document.scrollingElement || document.documentElement;
  const steps = [root, ...chain];
  for (const [i, scroller] of steps.entries()) {
    const frame = scroller === root ? view : meet(rectOf(scroller), view);
    const thing = rectOf(steps[i + 1] || el);
    const [dx, dy] = [["left", "right"], ["top", "bottom"]].map(([low, high]) => {
      const room = frame[high] - frame[low];
      const size = thing[high] - thing[low];
      const shared = Math.min(thing[high], frame[high]) - Math.max(thing[low], frame[low]);
      if (shared >= Math.min(size, room / 2) - 1) return 0;
      const way = (thing[low] + thing[high] - frame[low] - frame[high]) / 2;
      return Math.max(-room * 0.8, Math.min(room * 0.8, way));
    });
    for (const [x, y] of [[0, dy], [dx, 0]]) {
      if ((x || y) && canScroll(scroller, x, y)) return { scroller, dx: x, dy: y };
    }
    if (dx || dy) return { scroller, dx: 0, dy: 0 };
  }
  return null;
};

const scrollPlace = (el) => ({ left: el.scrollLeft, top: el.scrollTop, width: el.clientWidth, height: el.clientHeight });

// A point over `scroller` where the wheel moves it and nothing inside it first.
const wheelPoint = (scroller, dx, dy) => {
  keepTurn(scroller, dx, dy);
  const isRoot = scroller === document.scrollingElement;
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const part = isRoot ? view : meet(rectOf(scroller), view);
  let fallback = null;
  for (const fy of [0.5, 0.3, 0.7, 0.1, 0.9]) {
    for (const fx of [0.5, 0.25, 0.75, 0.05, 0.95]) {
      const x = part.left + (part.right - part.left) * fx;
      const y = part.top + (part.bottom - part.top) * fy;
      const hit = deepFromPoint(x, y);
      if (!hit || hit.tagName === "IFRAME" || !(isRoot || contains(scroller, hit))) continue;
      fallback = fallback || { x, y };
      if (scrollerOf(hit, dx, dy) === scroller) return { x, y };
    }
  }
  return fallback || { x: (part.left + part.right) / 2, y: (part.top + part.bottom) / 2 };
};

const MOST_PARTS = 12;
let walk = { parts: [], longest: 0 };

// What a browser leaves out below the window until it is near (`content-visibility`) is
// part of the whole page, unless the page hides parts by the same means.
const inFull = new CSSStyleSheet();
inFull.replaceSync("*:not([hidden]) { content-visibility: visible !important; }");
const showInFull = () => {
  const hides = (el) => getComputedStyle(el).contentVisibility === "hidden" && !el.hasAttribute("hidden");
  if (![...elementsIn(document)].some(hides)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, inFull];
};
const showAsItWas = () => {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== inFull);
};

// A walk through all that scrolls, the page first; each part is brought into view for it.
const beginStroll = (longest) => {
  showInFull();
  fresh();
  const root = document.scrollingElement || document.documentElement;
  const ways = [[0, 1], [0, -1], [1, 0], [-1, 0]];
  const inner = [...elementsIn(root)].filter((el) => !isViewport(el) && ways.some(([dx, dy]) => canScroll(el, dx, dy)));
  const shown = inner.filter(isShown).slice(0, MOST_PARTS);
  const parts = [root, ...shown].map((el) => ({ el, left: el.scrollLeft, top: el.scrollTop, way: "" }));
  walk = { parts, longest };
  return parts.length;
};

// One step on: to the upper left corner, down, then along the top to the right; false at
// the end.
const strollOn = (number) => {
  const part = walk.parts[number];
  const { el } = part;
  const before = { left: el.scrollLeft, top: el.scrollTop };
  const go = (left, top) => el.scrollTo({ left, top, behavior: "instant" });
  if (!part.way) {
    if (number) el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    go(0, 0);
    part.way = "down";
    return true;
  }
  if (part.way === "down") {
    if (before.top + el.clientHeight < walk.longest) go(0, before.top + Math.max(el.clientHeight, 50));
    if (el.scrollTop > before.top + 1) return true;
    part.way = "right";
  }
  if (before.left + el.clientWidth < walk.longest) go(before.left + Math.max(el.clientWidth, 50), 0);
  return el.scrollLeft > before.left + 1;
};

const endStroll = () => {
  for (const { el, left, top } of walk.parts.slice(1).reverse()) el.scrollTo({ left, top, behavior: "instant" });
  scrollTo({ left: 0, top: 0, behavior: "instant" });
};

// After the picture: the page as it stood before the walk.
const leaveStroll = () => {
  showAsItWas();
  const [{ left, top }] = walk.parts;
  scrollTo({ left, top, behavior: "instant" });
  walk.parts = [];
};
