// What a person sees of the page: flat tree, visibility, text as rendered.

const fold = (text) => (text || "").replace(/[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g, "").replace(/[\s\u00a0]+/g, " ").trim();

// Caches hold for one question only: `fresh()` starts the next.
let cache;
const fresh = () => {
  cache = { masked: new Map(), style: new Map(), opacity: new Map(), cut: new Map(), window: new Map(), seen: new Map(), text: new Map(), name: new Map() };
};
fresh();

const memo = (map, key, make) => {
  if (map.has(key)) return map.get(key);
  const value = make();
  map.set(key, value);
  return value;
};

const styleOf = (el) => memo(cache.style, el, () => getComputedStyle(el));

// A form whose fields are named like what is asked of elements (`name="children"`) hides
// it behind them, from this world too. Such a form is looked through.
const ASKED = [
  "tagName", "getAttribute", "hasAttribute", "closest", "matches", "textContent",
  "children", "childNodes", "shadowRoot", "assignedSlot", "getRootNode", "getBoundingClientRect",
  "getClientRects", "checkVisibility", "isContentEditable", "labels", "innerText", "scrollIntoView",
  "isConnected", "focus", "scrollTop", "scrollLeft", "scrollHeight", "scrollWidth", "clientHeight", "clientWidth",
];
const readParent = Object.getOwnPropertyDescriptor(Node.prototype, "parentElement").get;
const readChildren = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes").get;
const isMasked = (node) => {
  if (!(node instanceof HTMLFormElement)) return false;
  return memo(cache.masked, node, () =>
    readParent.call(node) !== node.parentElement ||
    ASKED.some((name) => node[name] instanceof Node || node[name] instanceof RadioNodeList));
};

// Children and parent in the flat tree: open shadow roots and slots resolved.
const childrenOf = (node) => {
  if (isMasked(node)) return [...readChildren.call(node)];
  if (node instanceof HTMLSlotElement) {
    const assigned = node.assignedNodes();
    return assigned.length ? assigned : [...node.childNodes];
  }
  return [...((node instanceof Element && node.shadowRoot) || node).childNodes];
};

const parentOf = (el) => {
  if (isMasked(el)) return readParent.call(el);
  if (el.assignedSlot) return el.assignedSlot;
  if (el.parentElement) return isMasked(el.parentElement) ? parentOf(el.parentElement) : el.parentElement;
  const root = el.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
};

function* elementsIn(root) {
  if (!root) return; // a document that has not begun
  for (const child of childrenOf(root)) {
    if (child instanceof Element) {
      if (!isMasked(child)) yield child;
      yield* elementsIn(child);
    }
  }
}

const contains = (outer, inner) => {
  for (let el = inner; el; el = parentOf(el)) if (el === outer) return true;
  return false;
};

const deepActive = () => {
  let active = document.activeElement;
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
  return active;
};

const deepFromPoint = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit && isMasked(hit) ? parentOf(hit) : hit;
};

const opacityOf = (el) =>
  memo(cache.opacity, el, () => {
    const parent = parentOf(el);
    return (parent ? opacityOf(parent) : 1) * parseFloat(styleOf(el).opacity || "1");
  });

const rectOf = (el) => {
  const r = el.getBoundingClientRect();
  return { left: r.left, top: r.top, right: r.right, bottom: r.bottom };
};

const areaOf = (r) => Math.max(0, r.right - r.left) * Math.max(0, r.bottom - r.top);

const meet = (a, b) => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

// The part of the page that boxes inside `el` can show in: overflow of ancestors that
// cannot be scrolled by a person cuts; what `auto` and `scroll` hide can be reached.
const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };
const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

const cutOf = (el) =>
  memo(cache.cut, el, () => {
    if (el === document.documentElement) return EVERYWHERE;
    const position = styleOf(el).position;
    if (position === "fixed") return { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    let parent = parentOf(el);
    if (position === "absolute") while (parent && styleOf(parent).position === "static") parent = parentOf(parent);
    if (!parent) return EVERYWHERE;
    const outer = cutOf(parent);
    if (parent === document.body || parent === document.documentElement) return outer;
    const s = styleOf(parent);
    const r = rectOf(parent);
    const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
    if ((scrolls(s.overflowX) || scrolls(s.overflowY)) && areaOf(meet(outer, r)) <= 0) return NOWHERE;
    const along = (overflow, low, high, outerLow, outerHigh) =>
      scrolls(overflow) ? [-Infinity, Infinity]
      : overflow === "hidden" || overflow === "clip" ? [Math.max(low, outerLow), Math.min(high, outerHigh)]
      : [outerLow, outerHigh];
    const [left, right] = along(s.overflowX, r.left, r.right, outer.left, outer.right);
    const [top, bottom] = along(s.overflowY, r.top, r.bottom, outer.top, outer.bottom);
    return { left, top, right, bottom };
  });

const seenPart = (el, rect) => {
  const part = meet(rect, cutOf(el));
  // Moved off the upper or left edge, where nobody can scroll to.
  part.left = Math.max(part.left, -scrollX);
  part.top = Math.max(part.top, -scrollY);
  return part;
};

const isControl = (el) => el instanceof HTMLInputElement && ["checkbox", "radio", "file"].includes(el.type);

const labelsOf = (el) => {
  const labels = el.labels ? [...el.labels] : [];
  return labels.filter((label) => label !== el);
};

// Rendered, not transparent, not cut away, larger than a dot.
const isShown = (el) =>
  memo(cache.seen, el, () => {
    if (!el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false })) return false;
    if (styleOf(el).display === "contents") return [...el.children].some(isShown);
    if (opacityOf(el) < 0.05 && !(isControl(el) && el.offsetWidth > 3)) return false;
    const part = seenPart(el, rectOf(el));
    return part.right - part.left > 1.5 && part.bottom - part.top > 1.5;
  });

// A box drawn by its label counts as seen where the label is.
const shownBy = (el) => {
  if (isShown(el)) return el;
  if (!isControl(el)) return null;
  return labelsOf(el).find(isShown) || null;
};

const TRANSFORMS = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase()),
};

const transformed = (text, style) => (TRANSFORMS[style.textTransform] || ((same) => same))(text);
const drawn = (text, el) => transformed(text, styleOf(el));

const pseudoText = (el, which) => {
  const style = getComputedStyle(el, which);
  const { content } = style;
  if (!content || content[0] !== '"') return "";
  const text = content.slice(1, content.lastIndexOf('"')).replace(/\\"/g, '"').replace(/[\ue000-\uf8ff]/g, "");
  // What lies on a line or at a place of its own is no part of the word beside it.
  return style.display.startsWith("inline") ? text : ` ${text} `;
};

// Text that form controls draw: captions of buttons, the chosen option.
const controlText = (el) => {
  if (el instanceof HTMLInputElement) {
    const captions = { submit: "Submit", reset: "Reset", button: "" };
    return el.type in captions ? el.value || captions[el.type] : "";
  }
  if (el instanceof HTMLSelectElement && !el.multiple && el.size < 2) {
    return el.selectedOptions.length ? el.selectedOptions[0].text : "";
  }
  return "";
};

const SILENT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TEXTAREA", "HEAD", "TITLE", "IFRAME", "OBJECT"]);

// Every run of visible text below `root`, in tree order, with the box of its line.
function* runsIn(root) {
  const range = document.createRange();
  function* visit(node) {
    if (node instanceof Text) {
      if (!node.data.trim()) {
        if (node.data) yield { text: " ", rect: null };
        return;
      }
      const el = parentOf(node) || node.parentElement;
      if (!el || opacityOf(el) < 0.05 || styleOf(el).visibility !== "visible") return;
      range.selectNodeContents(node);
      const rects = [...range.getClientRects()].filter((r) => areaOf(seenPart(el, r)) > 1);
      if (!rects.length) return;
      // Inline boxes are cut by the element itself too, when it cuts.
      const s = styleOf(el);
      if (s.overflowX !== "visible" && el !== document.body && el !== document.documentElement) {
        const own = rectOf(el);
        const isCutAway = own.right - own.left < 1.5 || own.bottom - own.top < 1.5;
        if (isCutAway && s.overflowX !== "auto" && s.overflowX !== "scroll") return;
      }
      yield { text: drawn(node.data, el), rect: rects[0], last: rects[rects.length - 1], el };
      return;
    }
    if (!(node instanceof Element)) return;
    if (isMasked(node)) {
      for (const child of childrenOf(node)) yield* visit(child);
      return;
    }
    if (node.tagName === "BR") yield { text: "\n", rect: null };
    if (SILENT.has(node.tagName)) return;
    const display = styleOf(node).display;
    if (display === "none" || !node.checkVisibility({ contentVisibilityAuto: false })) return;
    const caption = controlText(node);
    if (caption && isShown(node)) {
      const r = node.getBoundingClientRect();
      yield { text: caption, rect: r, last: r, el: node };
    }
    if (node instanceof HTMLSelectElement) return;
    const before = pseudoText(node, "::before");
    if (before && isShown(node)) yield { text: transformed(before, getComputedStyle(node, "::before")), rect: null, leads: true };
    for (const child of childrenOf(node)) yield* visit(child);
    const after = pseudoText(node, "::after");
    if (after && isShown(node)) yield { text: transformed(after, getComputedStyle(node, "::after")), rect: null };
  }
  yield* visit(root);
}

// Visible text: runs joined as they are drawn, a gap is a space, a new line a break.
const visibleText = (root) => {
  if (!root) return "";
  let text = "";
  let last = null;
  let lead = ""; // of the run that follows: it stands on that one's line
  for (const run of runsIn(root)) {
    if (run.leads) {
      lead += run.text;
      continue;
    }
    if (run.rect && last) {
      const height = Math.min(last.height, run.rect.height) || 1;
      const overlap = Math.min(last.bottom, run.rect.bottom) - Math.max(last.top, run.rect.top);
      if (overlap < height / 2) text += "\n";
      else if (run.rect.left - last.right > height * 0.12 || run.rect.right < last.left) text += " ";
    }
    text += lead + run.text;
    lead = "";
    if (run.rect) last = run.last;
  }
  return fold(text + lead);
};

// Letters and digits of scripts that put spaces between words.
const WORD = /[\p{L}\p{N}_]/u;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const isWord = (char) => Boolean(char) && WORD.test(char) && !UNSPACED.test(char);

const charBefore = (text, at) => [...text.slice(Math.max(0, at - 2), at)].pop() || "";
const charAt = (text, at) => (at < text.length ? String.fromCodePoint(text.codePointAt(at)) : "");

// Where `part` stands in `text` as whole words; -1: nowhere. `0` is not in `10`, `0.05`.
const findWords = (text, part, from = 0) => {
  if (!part) return -1;
  const first = charAt(part, 0);
  const final = charBefore(part, part.length);
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    const before = charBefore(text, at);
    const after = charAt(text, end);
    const inWord = isWord(first) && isWord(before);
    const outWord = isWord(final) && isWord(after);
    const inNumber = /\p{N}/u.test(first) && /[.,]/.test(before) && /\p{N}/u.test(charBefore(text, at - 1));
    const outNumber = /\p{N}/u.test(final) && /[.,]/.test(after) && /\p{N}/u.test(charAt(text, end + 1));
    const inElision = isWord(first) && /['’]/.test(before) && isWord(charBefore(text, at - 1));
    const outElision = isWord(final) && /['’]/.test(after) && isWord(charAt(text, end + 1));
    if (![inWord, outWord, inNumber, outNumber, inElision, outElision].includes(true)) return at;
  }
  return -1;
};
