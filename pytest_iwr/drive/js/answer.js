// What the driver asks: one function a question, plain data in and out.

let found = [];

// Half a character, as a page may show it or a cut may leave it, is no text elsewhere.
const wellFormed = (value) => {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value instanceof Promise) return value.then(wellFormed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wellFormed(inner)]));
};

const hiddenTwin = (target, verb) => {
  const twin = find(target, { verb, hidden: true })[0];
  if (twin) return describe(twin.el);
  const words = fold(target.text ?? target.name);
  return words ? hiddenText((text) => wordsWorth(words, text) > 0.9) : "";
};

// The innermost element that nobody sees and whose words are such; "": there is none.
const hiddenText = (isSuch) => {
  let best = null;
  for (const el of elementsIn(document.documentElement)) {
    if (SILENT.has(el.tagName) || isShown(el) || !isSuch(fold(el.textContent))) continue;
    if (!best || contains(best, el)) best = el;
  }
  return best ? describe(best) : "";
};

// A place that is named by a text in it: the part of the page around that text.
const isLabelOnly = (target) => Object.keys(target).join() === "text";
const around = (el) => {
  const own = visibleText(el);
  let part = el;
  while (parentOf(part) && part !== document.body && visibleText(part) === own) part = parentOf(part);
  return part;
};

// Where the words of a text are drawn.
const wordsBox = (el) => {
  const rects = [...runsIn(el)].filter((run) => run.rect).map((run) => run.rect);
  if (!rects.length) return boxOf(el);
  const left = Math.min(...rects.map((r) => r.left));
  const top = Math.min(...rects.map((r) => r.top));
  const width = Math.max(...rects.map((r) => r.right)) - left;
  return { x: left, y: top, width, height: Math.max(...rects.map((r) => r.bottom)) - top };
};

// A target that is a place and nothing else: that part of the window itself.
const partOfWindow = (target) => {
  if (Object.keys(target).join() !== "box" || window !== window.top) return null;
  const [left, top, width, height] = target.box;
  return { x: left * innerWidth, y: top * innerHeight, width: width * innerWidth, height: height * innerHeight };
};

const iwr = {
  // Elements that meet the target best in this document, and how well.
  find: ({ target, verb }) => {
    fresh();
    found = find(target, { verb });
    return found.map(({ el, worth }) => ({ worth, ...elementRecord(el) }));
  },

  // Why there is nothing: a hidden twin, or no trace.
  why: ({ target, verb }) => {
    fresh();
    return hiddenTwin(target, verb);
  },

  // Words that are in the document and that nobody sees.
  hiddenText: ({ text }) => {
    fresh();
    const words = fold(text).toLowerCase();
    return hiddenText((got) => findWords(got.toLowerCase(), words) >= 0);
  },

  // Find again and touch: the point of the one meant, and who receives it there.
  aim: ({ target, verb, guards }) => {
    fresh();
    found = find(target, { verb });
    if (!found.length) return { count: 0 };
    let aimed = found.map(({ el, worth }) => ({ el, worth, ...aim(el, verb) }));
    const reachable = aimed.filter((one) => one.isTarget);
    if (reachable.length) aimed = reachable;
    if (aimed.length > 1) {
      return { count: aimed.length, worth: aimed[0].worth, candidates: aimed.map((one) => elementRecord(one.el)) };
    }
    const one = aimed.length === found.length && found.length === 1 ? aimed[0] : { ...aimed[0], ...aim(aimed[0].el, verb) };
    found = [{ el: one.el, worth: one.worth }];
    arm(one.el, { guards, hit: one.isTarget ? one.hit : null });
    return {
      count: 1,
      worth: one.worth,
      x: one.x,
      y: one.y,
      isTarget: one.isTarget,
      by: describe(one.hit),
      element: elementRecord(one.el),
      isDisabled: disabledOf(one.el),
      letsThrough: Boolean(one.hit) && letsThrough(one.el, one.hit),
      checked: checkedOf(one.el),
      focused: contains(one.el, deepActive()) && deepActive() !== document.body,
      editable: isEditable(one.el),
      file: one.el instanceof HTMLInputElement && one.el.type === "file",
      native: one.el instanceof HTMLSelectElement,
    };
  },

  arm: () => arm(null),
  disarm,
  loose: () => { if (armed) armed.guards = false; },

  // Whether the point of a child frame is free in this document.
  frameAt: ({ x, y }) => {
    const hit = deepFromPoint(x, y);
    return { isFrame: Boolean(hit && /^I?FRAME$/.test(hit.tagName)), by: describe(hit) };
  },

  areFrames: (points) => points.map(([x, y]) => /^I?FRAME$/.test((deepFromPoint(x, y) || document).tagName)),

  focus: () => {
    const active = deepActive();
    const isNone = !active || active === document.body || active === document.documentElement;
    return {
      has: !isNone,
      frame: Boolean(active && /^I?FRAME$/.test(active.tagName)),
      editable: Boolean(active && isEditable(active)),
      words: isNone ? "nothing" : describe(active),
      value: isNone || !active ? "" : valueOf(active),
      password: Boolean(active instanceof HTMLInputElement && active.type === "password"),
    };
  },

  focusOn: () => {
    found[0].el.focus();
    return contains(found[0].el, deepActive()) && document.hasFocus();
  },
  state: () => ({
    connected: found.length > 0 && found[0].el.isConnected,
    checked: found.length > 0 && checkedOf(found[0].el),
    value: found.length > 0 ? valueOf(found[0].el) : "",
  }),

  options: () => {
    const el = found[0].el;
    return { isMenu: !el.multiple && el.size < 2, index: el.selectedIndex, options: [...el.options].map((o) => ({ text: fold(o.text), disabled: o.disabled || Boolean(o.closest("optgroup:disabled")) || getComputedStyle(o).display === "none" })) };
  },

  // Where to click an option of a list that is no menu.
  optionAt: ({ index }) => {
    const option = found[0].el.options[index];
    option.scrollIntoView({ block: "nearest", behavior: "instant" });
    const r = rectOf(option);
    return { x: (r.left + r.right) / 2, y: (r.top + r.bottom) / 2 };
  },

  // Where to turn the wheel for the page or the found container, and where it stands.
  wheel: ({ container, dx, dy }) => {
    fresh();
    const el = scrollerFor(container ? found[0].el : null, dx, dy);
    found = [{ el, worth: 1 }];
    return { ...wheelPoint(el, dx, dy), ...scrollPlace(el) };
  },
  // The same for the way to a target; `found` then is what scrolls.
  wayTo: ({ target }) => {
    fresh();
    const all = find(target, {});
    const [first] = all;
    if (!first) return { state: "missing" };
    const way = wayTo(shownBy(first.el) || first.el);
    if (!way) return { state: "there", ...scrollPlace(pageScroller(0, 0)), count: all.length };
    found = [{ el: way.scroller, worth: 1 }];
    const state = way.dx || way.dy ? "away" : "stuck";
    return { state, dx: way.dx, dy: way.dy, ...wheelPoint(way.scroller, way.dx, way.dy), ...scrollPlace(way.scroller) };
  },
  place: () => scrollPlace(found[0].el),
  // Hear the finger anywhere; the size of the window.
  hear: () => {
    arm(document.documentElement);
    return { width: innerWidth, height: innerHeight };
  },
  // `reachWidth`: what cannot be scrolled to is no part of the page.
  pagePlace: () => {
    const el = document.scrollingElement || document.documentElement;
    const reachWidth = canScroll(el, 1, 0) || canScroll(el, -1, 0) ? el.scrollWidth : innerWidth;
    return { ...scrollPlace(el), scrollHeight: el.scrollHeight, reachWidth, viewHeight: innerHeight, viewWidth: innerWidth };
  },
  // The document as its frame shows it; `scale` grows with the zoom of what it is in.
  size: () => ({ width: innerWidth, height: innerHeight, scale: devicePixelRatio }),
  scrollers: ({ longest }) => beginStroll(longest),
  stroll: ({ number }) => strollOn(number),
  endStroll,
  leaveStroll,
  placeOf: ({ target }) => {
    fresh();
    found = target ? find(target, {}) : [];
    if (target && !found.length) return null;
    const el = scrollerFor(target ? found[0].el : null, 0, 0);
    const all = found.map((one) => ({ words: describe(one.el), box: boxOf(one.el) }));
    return { ...scrollPlace(el), room: el.scrollHeight - el.clientHeight, found: all };
  },

  text: ({ target }) => {
    fresh();
    if (!target) return { count: 1, text: visibleText(document.documentElement), found: [] };
    const roots = find(target, {}).map(({ el }) => ({ el: isLabelOnly(target) ? around(el) : el }));
    const found = roots.map(({ el }) => ({ words: describe(el), box: boxOf(el) }));
    return { count: roots.length, text: roots.map(({ el }) => visibleText(el)).join("\n"), found };
  },
  holds: ({ text, part }) => findWords(fold(text), fold(part)) >= 0,

  // `whole`: only what bears all the words and no others, to prove that it is absent.
  states: ({ target, whole }) => {
    fresh();
    const all = find(target, { enough: ENOUGH.claim }).filter(
      ({ el }) => mayBe(target.role, el) && (!whole || bearsWhole(target, el)),
    );
    const active = deepActive();
    return all.map(({ el, worth }) => {
      // What a label is asked is meant of its field.
      const label = el.closest("label");
      const state = (label && label.control) || el;
      return {
        worth,
        words: describe(el),
        checked: checkedOf(state),
        selected: selectedOf(state) || selectedOf(el),
        disabled: disabledOf(state),
        focused: active !== null && active !== document.body && contains(state, active),
        value: valueOf(state),
        box: boxOf(el),
      };
    });
  },

  // The places of a target on the screen; of a text, where its words are drawn.
  regions: ({ target }) => {
    const part = partOfWindow(target);
    if (part) return [{ words: "this part of the window", box: part }];
    fresh();
    return find(target, {}).map(({ el }) => ({ words: describe(el), box: isLabelOnly(target) ? wordsBox(el) : boxOf(el) }));
  },

  // For each target the boxes of all that it means.
  masks: ({ targets }) => {
    fresh();
    return targets.map((target) => {
      const part = partOfWindow(target);
      return part ? [part] : find(target, {}).map(({ el }) => boxOf(el));
    });
  },

  isShown: (el) => {
    fresh();
    return isShown(el);
  },

  // What a model is shown, and what it chose.
  list: listThings,
  keep,
  partOfFrame,
  indexOfThing,

  settle,

  trail: tellTrail,

  // Hold still, and list what is visible: the accessibility snapshot of the moment.
  // `beat`: milliseconds until what moves on has moved, as far as that is known.
  hold: async ({ limit }) => {
    fresh();
    const beat = await hold();
    const nodes = [];
    for (const el of elementsIn(document.documentElement)) {
      if (nodes.length >= limit) break;
      if (SILENT.has(el.tagName) && el.tagName !== "TEXTAREA" && el.tagName !== "IFRAME") continue;
      const role = roleOf(el);
      const isPlain = role === "generic" || role === "presentation" || role === "paragraph";
      const own = [...el.childNodes].some((n) => n instanceof Text && n.data.trim());
      if ((isPlain && !own) || !shownBy(el)) continue;
      const node = { role, box: boxOf(el) };
      const name = isPlain ? fold(el.textContent).slice(0, 200) : nameOf(el).slice(0, 200);
      if (name) node.name = name;
      if (isEditable(el) || el instanceof HTMLSelectElement) node.value = el.type === "password" ? "•" : valueOf(el);
      if (checkedOf(el)) node.checked = true;
      if (disabledOf(el)) node.disabled = true;
      if (el === deepActive()) node.focused = true;
      nodes.push(node);
    }
    return { nodes, beat };
  },
  release,
  title: () => document.title,
  height: () => Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0),
};
globalThis.iwr = Object.fromEntries(
  Object.entries(iwr).map(([name, answer]) => [name, (question) => wellFormed(answer(question))]),
);
