// What a model is shown of the page: a tree of what a person could point at and of what
// holds it, numbered; and its choice, found again when it is acted on.

const HOLDERS = new Set([
  "alert", "alertdialog", "article", "banner", "cell", "complementary", "contentinfo", "dialog", "figure", "form",
  "grid", "gridcell", "group", "iframe", "list", "listbox", "listitem", "main", "menu", "menubar", "navigation",
  "radiogroup", "region", "row", "search", "status", "table", "tablist", "tabpanel", "toolbar", "tree",
]);
const LONGEST_NAME = 160;
const MOST_OPTIONS = 40;
const SMALLEST = 4;
const LARGEST_PLAIN = 0.6; // of the window: what is larger is a background
const LARGEST_ICON = 40;
const MOST_AROUND = 5; // levels up

let things = []; // those of the newest list, in its order
const kept = new Map(); // chosen ones: key -> { el, was }

const isSecret = (el) =>
  el instanceof HTMLInputElement && (el.type === "password" || /\b(current|new)-password\b/.test(el.autocomplete));

// The box that can show at all: cut by the window and by whatever scrolls or cuts.
const windowOf = (el) =>
  memo(cache.window, el, () => {
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const { position } = styleOf(el);
    if (el === document.documentElement || position === "fixed") return view;
    let parent = parentOf(el);
    if (position === "absolute") while (parent && styleOf(parent).position === "static") parent = parentOf(parent);
    if (!parent) return view;
    const outer = windowOf(parent);
    if (isViewport(parent)) return outer;
    const s = styleOf(parent);
    const r = rectOf(parent);
    const part = meet(outer, r);
    return {
      left: s.overflowX === "visible" ? outer.left : part.left,
      right: s.overflowX === "visible" ? outer.right : part.right,
      top: s.overflowY === "visible" ? outer.top : part.top,
      bottom: s.overflowY === "visible" ? outer.bottom : part.bottom,
    };
  });

const isFlat = (r) => r.right - r.left < 2 || r.bottom - r.top < 2;

// Which way a box lies from the window that it should be seen in.
const sideOf = (r, frame) =>
  r.bottom <= frame.top + 2 ? "above" : r.top >= frame.bottom - 2 ? "below" : r.right <= frame.left + 2 ? "left" : "right";

const placeOf = (el) => {
  const shown = shownBy(el) || el;
  const whole = rectOf(shown);
  const frame = windowOf(shown);
  const part = meet(whole, frame);
  if (isFlat(part)) return { place: sideOf(whole, frame), part: whole };
  const isFree = [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.15], [0.5, 0.85]].some(([fx, fy]) =>
    receives(el, deepFromPoint(part.left + (part.right - part.left) * fx, part.top + (part.bottom - part.top) * fy)));
  return { place: isFree ? "on screen" : "covered", part };
};

const hasOwnText = (el) => childrenOf(el).some((node) => node instanceof Text && node.data.trim());
const isLeaf = (el) => !childrenOf(el).some((node) => node instanceof Element && isShown(node));

// Drawn by itself: a colour, a border, a picture or a sign of an icon font.
const isPainted = (el) => {
  const s = styleOf(el);
  const isClear = (colour) => colour === "transparent" || /[,/] ?0\)$/.test(colour);
  if (!isClear(s.backgroundColor) || s.backgroundImage !== "none") return true;
  if (s.borderTopStyle !== "none" && parseFloat(s.borderTopWidth) > 0 && !isClear(s.borderTopColor)) return true;
  return ["::before", "::after"].some((which) => /^["u]/.test(getComputedStyle(el, which).content));
};

const isPlainSize = (el) => {
  const r = rectOf(el);
  const isLarge = areaOf(r) > LARGEST_PLAIN * innerWidth * innerHeight;
  return r.right - r.left >= SMALLEST && r.bottom - r.top >= SMALLEST && !isLarge;
};

// What `el` is for the list: a thing that a person points at (`whole`: what it shows is its
// own, and nothing in it is another thing), what only holds things, or nothing.
const kindOf = (el, inside) => {
  const role = roleOf(el);
  const isControl = INTERACTIVE_ROLES.has(role);
  if (isControl) return { kind: "thing", whole: role !== "listbox" };
  if (el instanceof HTMLLabelElement) {
    const stands = el.control && !isShown(el.control) && shownBy(el.control) === el;
    return { kind: stands || inside.whole ? "" : "thing", whole: false, text: true };
  }
  const isDragged = el.getAttribute("draggable") === "true";
  if (isDragged || (isInteractive(el) && !isViewport(el))) return { kind: "thing", whole: false, text: hasOwnText(el) };
  if (inside.whole) return { kind: "" };
  const isGraphic = /^(IMG|CANVAS|VIDEO)$/i.test(el.tagName) || el instanceof SVGSVGElement || role === "img";
  if (isGraphic && isPlainSize(el)) {
    const r = rectOf(el);
    const isIcon = r.right - r.left <= LARGEST_ICON || !(el instanceof SVGSVGElement);
    return { kind: "thing", whole: isIcon };
  }
  if (el instanceof SVGGraphicsElement) {
    const isShape = el instanceof SVGGeometryElement || el instanceof SVGTextElement;
    return { kind: isShape && isPlainSize(el) ? "thing" : "", whole: false };
  }
  if (hasOwnText(el) && el !== document.body) {
    const isPart = inside.text && styleOf(el).display.startsWith("inline");
    return { kind: isPart ? "" : "thing", whole: false, text: true };
  }
  if (HOLDERS.has(role)) return { kind: "holder" };
  return { kind: isLeaf(el) && isPlainSize(el) && isPainted(el) ? "thing" : "" };
};

const clip = (text) => (text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text);

const roleWord = (el) => {
  const role = roleOf(el);
  if (el instanceof HTMLLabelElement) return "label";
  if (role !== "generic" && role !== "presentation" && role !== "paragraph") return role;
  return /^(IMG|PICTURE)$/.test(el.tagName) ? "img" : shortText(el) ? "text" : "box";
};

const statesOf = (el) => {
  const role = roleOf(el);
  const states = [];
  const expanded = el.getAttribute("aria-expanded") ?? (el.tagName === "SUMMARY" && el.parentElement ? String(el.parentElement.hasAttribute("open")) : null);
  if (checkedOf(el)) states.push("checked");
  else if (INTERACTIVE_ROLES.has(role) && !(el instanceof HTMLInputElement) && selectedOf(el)) states.push("selected");
  if (disabledOf(el)) states.push("disabled");
  if (expanded !== null) states.push(expanded === "true" ? "expanded" : "collapsed");
  if (el === deepActive()) states.push("focused");
  return states;
};

// What tells an element from others, whatever becomes of its node.
const signatureOf = (el) => JSON.stringify([el.tagName, roleOf(el), clip(nameOf(el)), clip(shortText(el))]);

const lineOf = (el, depth, isThing) => {
  const name = clip(nameOf(el));
  const line = { depth, role: roleWord(el), isThing };
  if (name) line.name = name;
  if (!isThing) return line;
  const text = clip(shortText(el));
  const isList = el instanceof HTMLSelectElement;
  if (text && text !== name && !isEditable(el) && !isList) line.text = text;
  if (isEditable(el) || ["slider", "spinbutton", "combobox"].includes(roleOf(el))) {
    const hint = fold(el.getAttribute("placeholder"));
    if (hint && hint !== name) line.hint = clip(hint);
    const value = isSecret(el) ? "" : clip(valueOf(el));
    if (value && value !== line.text) line.value = value;
  }
  if (isList) line.options = [...el.options].slice(0, MOST_OPTIONS).map((o) => clip(fold(o.text)));
  const title = clip(fold(el.getAttribute("title")));
  if (title && title !== name && title !== text) line.title = title;
  const states = statesOf(el);
  if (states.length) line.states = states;
  return line;
};

// All lines in the order of the tree; the things get their place, too.
const listAll = () => {
  const lines = [];
  const found = [];
  const visit = (parent, depth, inside) => {
    for (const el of childrenOf(parent)) {
      if (!(el instanceof Element)) continue;
      if (isMasked(el)) {
        visit(el, depth, inside);
        continue;
      }
      if (SILENT.has(el.tagName) && el.tagName !== "TEXTAREA" && el.tagName !== "IFRAME") continue;
      if (styleOf(el).display === "none" || el instanceof HTMLOptionElement && el.closest("select:not([multiple])")) continue;
      const { kind, whole = false, text = false } = shownBy(el) ? kindOf(el, inside) : { kind: "" };
      if (kind) lines.push({ el, depth, isThing: kind === "thing" });
      if (kind === "thing") found.push(el);
      visit(el, kind ? depth + 1 : depth, { whole: inside.whole || whole, text: text || (inside.text && !kind) });
    }
  };
  if (document.documentElement) visit(document, 0, { whole: false, text: false });
  return { lines, found };
};

// Among equal ones: the words around each, up to where the next one's begin. For one that
// is alone: the words of what holds it, a few levels up, for when it gets equals.
const surroundings = (all) => {
  const groups = new Map();
  for (const el of all) {
    const signature = signatureOf(el);
    groups.set(signature, [...(groups.get(signature) || []), el]);
  }
  const known = new Map();
  for (const [signature, twins] of groups) {
    const counts = new Map();
    for (const el of twins) for (let up = parentOf(el); up; up = parentOf(up)) counts.set(up, (counts.get(up) || 0) + 1);
    twins.forEach((el, nth) => {
      const around = [];
      for (let up = parentOf(el); up && counts.get(up) === 1 && around.length < MOST_AROUND; up = parentOf(up)) around.push(wordsOf(up));
      known.set(el, { signature, nth, count: twins.length, around });
    });
  }
  return known;
};

const wordsOf = (el) => fold(el.textContent).slice(0, 2000);

// Whether an element stands among the same words as one before, which of them had equals.
const isAround = (was, now) => {
  if (was.count > 1 && now.count > 1) return (was.around.at(-1) || "") === (now.around.at(-1) || "");
  const [few, many] = was.count > 1 ? [was.around, now.around] : [now.around, was.around];
  return few.every((words) => many.includes(words));
};

// Where words stand on the screen: numbers are drawn beside them.
const textPlaces = () => {
  const places = [];
  const range = document.createRange();
  for (const el of elementsIn(document)) {
    if ((SILENT.has(el.tagName) && el.tagName !== "TEXTAREA") || !isShown(el)) continue;
    const rects = [];
    for (const node of childrenOf(el)) {
      if (!(node instanceof Text) || !node.data.trim()) continue;
      range.selectNodeContents(node);
      rects.push(...range.getClientRects());
    }
    if (controlText(el) || isEditable(el)) rects.push(rectOf(el));
    const frame = windowOf(el);
    for (const rect of rects) {
      const part = meet(rect, frame);
      if (!isFlat(part)) places.push(asBox(part));
    }
  }
  return places;
};

const asBox = (r) => {
  const round = (value) => Math.round(value * 100) / 100;
  return { x: round(r.left), y: round(r.top), width: round(r.right - r.left), height: round(r.bottom - r.top) };
};

const listThings = ({ places }) => {
  fresh();
  const { lines, found } = listAll();
  const known = surroundings(found);
  things = found.map((el) => ({ el, was: known.get(el) }));
  return {
    lines: lines.map(({ el, depth, isThing }) => {
      const line = lineOf(el, depth, isThing);
      if (!isThing) return line;
      const { place, part } = placeOf(el);
      return { ...line, place, box: asBox(part) };
    }),
    texts: places ? textPlaces() : [],
  };
};

// The chosen one as it is now: the same (`same`), still there but showing something else
// (`changed`), or gone. A redrawn page has other nodes for the same things, or the same
// nodes for other things.
const foundAgain = ({ el, was }) => {
  const { found } = listAll();
  const known = surroundings(found);
  const now = known.get(el);
  const isSame = (other) => other.signature === was.signature;
  const isAlone = was.count === 1 && now && now.count === 1;
  if (now && isSame(now) && (isAlone || isAround(was, now))) return { el, state: "same" };
  const twins = found.filter((other) => isSame(known.get(other)));
  const near = twins.filter((other) => isAround(was, known.get(other)));
  if (was.count === 1 && twins.length === 1) return { el: twins[0], state: "same" };
  if (twins.length > 1 && near.length === 1) return { el: near[0], state: "same" };
  if (now && !twins.length && counted(now.signature) === counted(was.signature)) return { el, state: "same" };
  if (now) return { el, state: "changed" };
  if (was.count > 1 && twins.length === was.count) return { el: twins[was.nth], state: "changed" };
  return { el: null, state: "gone" };
};

// A signature whose numbers may go on: `Send again in 9 s` stays what it is.
const counted = (signature) => signature.replace(/\d+/g, "0");

// Keep what was chosen of the newest list under a key, and say what has become of it.
const keep = ({ number, key, anyway }) => {
  fresh();
  const chosen = things[number];
  const { el, state } = chosen ? foundAgain(chosen) : { el: null, state: "gone" };
  if (state === "same" || (anyway && el)) kept.set(key, { el, was: surroundings(listAll().found).get(el) || chosen.was });
  return state;
};

// Which of the newest list's things a node is, alone holds, or lies in; -1: none of them.
const indexOfThing = (node) => {
  fresh();
  const el = node instanceof Element ? node : node.parentElement;
  if (!el || el.ownerDocument !== document) return -1;
  const indexOf = (one) => things.findIndex((thing) => thing.el === one);
  if (indexOf(el) >= 0) return indexOf(el);
  const inner = things.flatMap((thing, index) => (contains(el, thing.el) ? [index] : []));
  if (inner.length === 1) return inner[0];
  for (let up = parentOf(el); up; up = parentOf(up)) if (indexOf(up) >= 0) return indexOf(up);
  return -1;
};

// What shows something else by now was not chosen; what is hidden is in no list.
const findKept = (key, hidden) => {
  const chosen = kept.get(key);
  if (!chosen) return [];
  const { el, state } = foundAgain(chosen);
  const isUnseen = chosen.el.isConnected && !shownBy(chosen.el);
  const meant = state === "same" ? el : isUnseen ? chosen.el : null;
  return meant && Boolean(shownBy(meant)) !== Boolean(hidden) ? [{ el: meant, worth: 1 }] : [];
};

// What shows of a frame, and where its document begins.
const partOfFrame = (frame) => {
  fresh();
  const r = frame.getBoundingClientRect();
  const left = r.left + frame.clientLeft;
  const top = r.top + frame.clientTop;
  const inner = { left, top, right: left + frame.clientWidth, bottom: top + frame.clientHeight };
  return asBox(meet(inner, windowOf(frame)));
};
