// From a target (what a person would say) to elements: evidence, not exact conjunction.

const FAMILIES = [
  { members: ["button", "link", "menuitem", "tab", "option", "menuitemradio", "menuitemcheckbox", "treeitem"], worth: 0.6 },
  { members: ["textbox", "searchbox", "combobox", "spinbutton"], worth: 0.7 },
  { members: ["checkbox", "switch", "menuitemcheckbox", "radio", "menuitemradio"], worth: 0.6 },
  { members: ["combobox", "listbox"], worth: 0.8 },
  { members: ["dialog", "alertdialog"], worth: 0.9 },
  { members: ["status", "alert", "log"], worth: 0.8 },
  { members: ["cell", "gridcell", "columnheader", "rowheader"], worth: 0.8 },
  { members: ["img", "figure", "canvas"], worth: 0.6 },
  { members: ["region", "form", "group", "navigation", "complementary", "main", "banner", "contentinfo", "search"], worth: 0.5 },
  { members: ["list", "listbox", "menu", "menubar", "tablist"], worth: 0.6 },
];

const roleWorth = (wanted, el) => {
  const role = roleOf(el);
  if (role === wanted) return 1;
  const shared = FAMILIES.find((f) => f.members.includes(wanted) && f.members.includes(role));
  if (shared) return shared.worth;
  if (["button", "link", "tab", "menuitem"].includes(wanted) && role === "generic" && isInteractive(el) && !(el instanceof HTMLLabelElement)) return 0.5;
  return 0;
};

// Whether `el` can stand for a part of that role when it is only looked at: a button
// "Settings" is not the dialog of that name.
const CONTROLS = new Set([
  "button", "link", "tab", "menuitem", "option", "checkbox", "radio", "switch", "textbox",
  "searchbox", "combobox", "slider", "spinbutton",
]);
const PARTS = new Set([
  "dialog", "alertdialog", "alert", "tooltip", "heading", "list", "table", "row", "menu", "form",
  "navigation", "region", "main", "progressbar", "article", "tabpanel",
]);
const mayBe = (wanted, el) => {
  const role = (wanted || "").toLowerCase();
  return !(PARTS.has(role) && CONTROLS.has(roleOf(el))) && !(CONTROLS.has(role) && PARTS.has(roleOf(el)));
};

const bare = (text) => fold(text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " "));

// 1 equal; 0.97 but for letter case; 0.93 but for signs; 0.6 part of it; 0 no match.
const wordsWorth = (wanted, got) => {
  if (!got) return 0;
  if (got === wanted) return 1;
  const lower = wanted.toLowerCase();
  const gotLower = got.toLowerCase();
  if (gotLower === lower) return 0.97;
  const plain = bare(wanted);
  if (plain && plain === bare(got)) return 0.93;
  return findWords(gotLower, lower) >= 0 ? 0.6 : 0;
};

// A hint in a field is a sentence: most of its words are the same sentence still. Other
// numbers are another thing.
const hintWorth = (wanted, got) => {
  const exact = wordsWorth(wanted, got);
  const one = bare(wanted).split(" ");
  const two = bare(got).split(" ");
  if (exact || one.length < 4 || two.length < 4) return exact;
  const shared = one.filter((word) => two.includes(word)).length;
  const others = [...one.filter((w) => !two.includes(w)), ...two.filter((w) => !one.includes(w))];
  if (others.some((word) => /\p{N}/u.test(word))) return 0;
  return (2 * shared) / (one.length + two.length) > 0.75 ? 0.5 : 0;
};

const LONGEST = 400;

// Visible text of each element, short ones only: a page-sized text is nobody's label.
const shortText = (el) =>
  memo(cache.text, el, () => {
    if ((el.textContent || "").length > 4 * LONGEST) return "";
    const text = visibleText(el);
    return text.length > LONGEST ? "" : text;
  });

// A quick look before the careful one: the raw text must hold the first word.
const mayShow = (el, wanted) => {
  if (cache.hasShadow === undefined) cache.hasShadow = [...elementsIn(document)].some((e) => e.shadowRoot);
  if (cache.hasShadow || el instanceof HTMLInputElement || el instanceof HTMLSelectElement) return true;
  const first = bare(wanted).split(" ")[0];
  return !first || (el.textContent || "").toLowerCase().includes(first);
};

const PROPERTIES = {
  name: nameOf,
  text: (el, wanted) => (mayShow(el, wanted) ? shortText(el) : ""),
  label: labelOf,
  placeholder: (el) => fold(el.getAttribute("placeholder")),
  alt: (el) => fold(el.getAttribute("alt")),
  title: (el) => fold(el.getAttribute("title")),
};
const NEIGHBOURS = { name: "text", text: "name" };

const textWorth = (kind, wanted, el) => {
  let best = 0;
  for (const [property, read] of Object.entries(PROPERTIES)) {
    const kin = property === kind ? 1 : NEIGHBOURS[kind] === property ? 0.98 : 0.92;
    if (kin <= best) continue;
    const compare = kind === "placeholder" && property === kind ? hintWorth : wordsWorth;
    best = Math.max(best, kin * compare(wanted, read(el, wanted)));
  }
  return best;
};

const WORDS = ["name", "text", "label", "placeholder", "alt", "title"];

const bearsWhole = (target, el) =>
  WORDS.every((kind) => target[kind] === undefined || textWorth(kind, fold(target[kind]), el) > 0.8);

// The share of the evidence that `el` meets, 0..1.
const worthOf = (target, el) => {
  let sum = 0;
  let whole = 0;
  for (const kind of WORDS) {
    if (target[kind] === undefined) continue;
    whole += 3;
    sum += 3 * textWorth(kind, fold(target[kind]), el);
  }
  if (target.role !== undefined) {
    const weight = whole ? 1 : 3;
    const worth = roleWorth(target.role.toLowerCase(), el);
    if (!whole && worth === 0) return 0;
    whole += weight;
    sum += weight * worth;
  }
  return whole ? sum / whole : 1;
};

const VERB_BONUS = {
  type: (el) => (isEditable(el) ? 0.06 : 0),
  check: (el) => (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(roleOf(el)) ? 0.06 : 0),
  select: (el) => (el instanceof HTMLSelectElement || ["combobox", "listbox"].includes(roleOf(el)) ? 0.06 : 0),
  click: (el) => (isInteractive(el) ? 0.04 : 0),
};

// To act, the best that there is will do; to claim that a thing is there takes more.
const ENOUGH = { act: 0.5, claim: 0.6 };
const EQUAL = 0.015;

const gap = (a, b) => {
  const dx = Math.max(0, a.left - b.right, b.left - a.right);
  const dy = Math.max(0, a.top - b.bottom, b.top - a.bottom);
  return { dx, dy };
};

// How far a person would say two boxes are apart: the same row is nearer than a line away.
const distance = (a, b) => {
  const { dx, dy } = gap(a, b);
  return dx + 3 * dy;
};

// Near: the smallest common container first, then the shortest way.
const nearest = (candidates, anchors) => {
  const ranked = candidates.map((candidate) => {
    let best = [Infinity, Infinity];
    for (const anchor of anchors) {
      let common = anchor;
      let height = 0;
      while (common && !contains(common, candidate.el)) {
        common = parentOf(common);
        height += 1;
      }
      const inside = common ? candidates.filter((other) => contains(common, other.el)).length : Infinity;
      const key = [inside, distance(rectOf(shownBy(candidate.el) || candidate.el), rectOf(anchor))];
      if (key[0] < best[0] || (key[0] === best[0] && key[1] < best[1])) best = key;
    }
    return { candidate, key: best };
  });
  ranked.sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1]);
  const first = ranked[0];
  return ranked.filter((r) => r.key[0] === first.key[0] && r.key[1] - first.key[1] < 1).map((r) => r.candidate);
};

const PLACES = {
  "top left": [0, 0], top: [0.5, 0], "top right": [1, 0], left: [0, 0.5], center: [0.5, 0.5],
  right: [1, 0.5], "bottom left": [0, 1], bottom: [0.5, 1], "bottom right": [1, 1],
};

const byPlace = (candidates, wanted, frame) => {
  const ranked = candidates.map((candidate) => {
    const r = rectOf(shownBy(candidate.el) || candidate.el);
    const x = ((r.left + r.right) / 2 - frame.left) / (frame.right - frame.left);
    const y = ((r.top + r.bottom) / 2 - frame.top) / (frame.bottom - frame.top);
    return { candidate, far: Math.hypot(x - wanted[0], y - wanted[1]) };
  });
  ranked.sort((a, b) => a.far - b.far);
  return ranked.filter((r) => r.far - ranked[0].far < 0.01).map((r) => r.candidate);
};

// Those whose box holds the point, the smallest of them; all of them where none does.
const holding = (candidates, x, y) => {
  const around = candidates.filter(({ el }) => {
    const r = rectOf(shownBy(el) || el);
    return r.left <= x && x <= r.right && r.top <= y && y <= r.bottom;
  });
  const size = ({ el }) => areaOf(rectOf(shownBy(el) || el));
  const least = Math.min(...around.map(size));
  return around.length ? around.filter((c) => size(c) <= least * 1.01).slice(-1) : candidates;
};

const readingOrder = (a, b) => {
  const one = rectOf(shownBy(a.el) || a.el);
  const two = rectOf(shownBy(b.el) || b.el);
  const overlap = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
  const height = Math.min(one.bottom - one.top, two.bottom - two.top);
  return overlap > height / 2 ? one.left - two.left : one.top - two.top;
};

const hasContent = (target) => [...WORDS, "role", "css", "focused"].some((key) => target[key] !== undefined);

// All elements of this document that meet the target best, with their worth.
const find = (target, { verb = "", hidden = false, scope = null, enough = ENOUGH.act, isOfRole = false } = {}) => {
  if (!document.documentElement) return [];
  if (target.mark !== undefined) return findKept(target.mark, hidden);
  let scopes = [scope || document.documentElement];
  if (target.in !== undefined) {
    const { found, isOfRole } = findContainers(target.in, scope);
    if (!found.length) return [];
    scopes = found.map((f) => f.el);
    const needsWider = target.in.text !== undefined && !isOfRole;
    if (needsWider) scopes = widen(scopes, target, verb);
  }
  let pool = [];
  if (target.focused) {
    const active = deepActive();
    pool = active && active !== document.body ? [active] : [];
  } else {
    for (const root of scopes) {
      if (target.css !== undefined && root === document.documentElement) pool.push(root);
      for (const el of elementsIn(root)) {
        if (SILENT.has(el.tagName) && el.tagName !== "TEXTAREA" && el.tagName !== "IFRAME") continue;
        pool.push(el);
      }
    }
    if (target.css !== undefined) pool = pool.filter((el) => el.matches(target.css));
    if (isOfRole) pool = pool.filter((el) => roleWorth(target.role.toLowerCase(), el) >= 0.8);
  }
  if (!hasContent(target)) pool = pool.filter(isInteractive);
  const bonus = VERB_BONUS[verb] || (() => 0);
  let candidates = [];
  for (const el of pool) {
    if (hidden ? shownBy(el) : !shownBy(el)) continue;
    const worth = worthOf(target, el);
    if (worth >= enough) candidates.push({ el, worth: worth + bonus(el) });
  }
  if (!candidates.length) return [];
  const best = Math.max(...candidates.map((c) => c.worth));
  candidates = candidates.filter((c) => c.worth > best - EQUAL);
  candidates = innermost(candidates, target);
  if (hidden) return candidates;
  if (target.near !== undefined) {
    const anchors = find(target.near, { scope }).map((f) => f.el);
    if (!anchors.length) return [];
    candidates = nearest(candidates, anchors);
  }
  if (target.box !== undefined) {
    const [left, top, width, height] = target.box;
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    candidates = holding(candidates, (left + width / 2) * innerWidth, (top + height / 2) * innerHeight);
    candidates = byPlace(candidates, [left + width / 2, top + height / 2], view);
  }
  if (target.position !== undefined) {
    const frame = target.in === undefined ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : rectOf(scopes[0]);
    candidates = byPlace(candidates, PLACES[target.position], frame);
  }
  if (target.nth !== undefined) {
    candidates.sort(readingOrder);
    candidates = candidates.slice(target.nth - 1, target.nth);
  }
  return candidates;
};

// What contains: the row "Bob" is the row that shows Bob among other words, not the cell.
const findContainers = (target, scope) => {
  if (target.role === undefined) return { found: find(target, { scope }), isOfRole: false };
  let found = find(target, { scope, isOfRole: true });
  if (!found.length) return { found: find(target, { scope }), isOfRole: false };
  const words = fold(target.name ?? target.text);
  if (found.length > 1 && words) {
    const isWhole = (el) => wordsWorth(words, shortText(el)) > 0.9;
    const whole = found.filter((f) => [...elementsIn(f.el)].some(isWhole));
    if (whole.length) found = whole;
  }
  return { found, isOfRole: true };
};

// Of nested matches the innermost stands for all; of a role's matches all count.
const innermost = (candidates, target) => {
  const set = new Set(candidates.map((c) => c.el));
  const outer = new Set();
  for (const el of set) {
    for (let up = parentOf(el); up; up = parentOf(up)) if (set.has(up)) outer.add(up);
  }
  const hasWords = WORDS.some((key) => target[key] !== undefined);
  return hasWords ? candidates.filter((c) => !outer.has(c.el)) : candidates;
};

// `in: "Filters"` names a part of the page by a text in it: its smallest container that
// holds a match.
const widen = (scopes, target, verb) => {
  const { in: _, near, nth, position, box, ...rest } = target;
  const wider = [];
  for (const start of scopes) {
    for (let el = start; el; el = parentOf(el)) {
      if (!hasContent(rest)) { wider.push(el); break; }
      const inner = find(rest, { verb, scope: el }).filter((f) => f.el !== start);
      if (inner.length) { wider.push(el); break; }
    }
  }
  return [...new Set(wider)];
};
