// The way that the last real input took through this document, and what could answer it
// there besides scripts: links, forms, controls, rules of style. Read after a failure.

const PRESSES = new Set(["pointerdown", "mousedown", "touchstart", "keydown"]);
let trail = { path: [], left: [], isPress: false, at: 0 };
let turn = { at: 0 };

const forgetTrail = () => {
  trail = { path: [], left: [], isPress: false, at: 0 };
};

const upFrom = (el) => {
  const path = [];
  for (let up = el; up; up = parentOf(up)) path.push(up);
  return path;
};

// `path` as the event has it. What has the focus before a press may lose it by that.
const keepTrail = (type, path) => {
  const isPress = PRESSES.has(type);
  if (!isPress && trail.isPress) return;
  const active = deepActive();
  const leaves = isPress && active && active !== document.body && !path.includes(active);
  trail = { path, left: leaves ? upFrom(active) : [], isPress, at: Date.now() };
};

const keepTurn = (el, dx, dy) => {
  turn = { el, dx, dy, at: Date.now() };
};

const MOST_STOPS = 60;
// For the driver, by reference: what the input passed, innermost first, then what it left.
const stops = () => [...trail.path.slice(0, MOST_STOPS), ...trail.left.slice(0, MOST_STOPS)];

const markOf = (stop) => {
  if (stop === window) return "the window";
  if (stop instanceof Document) return "the document";
  if (!(stop instanceof Element)) return "a shadow root";
  if (!isMasked(stop) && isInteractive(stop)) return describe(stop);
  const id = isMasked(stop) ? "" : stop.getAttribute("id");
  return `<${stop.localName}${id ? ` id="${id.slice(0, 40)}"` : ""}>`;
};

const POINTING = ["pointerdown", "mousedown", "pointerup", "mouseup", "touchstart", "touchend", "click"];
const KEYING = ["keydown", "keypress", "keyup"];
const ANSWERS = {
  double_click: [...POINTING, "dblclick"],
  right_click: ["pointerdown", "mousedown", "pointerup", "mouseup", "auxclick", "contextmenu"],
  hover: ["pointerover", "pointerenter", "pointermove", "mouseover", "mouseenter", "mousemove"],
  drag: [
    ...POINTING, "pointermove", "mousemove", "touchmove", "pointercancel",
    "dragstart", "drag", "dragend", "dragenter", "dragover", "dragleave", "drop",
  ],
  swipe: [...POINTING, "touchmove", "touchcancel", "pointermove", "pointercancel", "scroll", "scrollend"],
  type: [...KEYING, "beforeinput", "input", "change"],
  press: KEYING,
  select: [...POINTING, ...KEYING, "input", "change"],
};

const STATES = {
  hover: ["hover"],
  type: ["focus", "focus-within", "focus-visible", "placeholder-shown", "valid", "invalid", "user-valid", "user-invalid"],
};
const POINTED = ["active", "focus", "focus-within", "focus-visible", "checked", "target"];
const STATE = /:(hover|active|focus-within|focus-visible|focus|checked|target|placeholder-shown|user-valid|user-invalid|valid|invalid)(?![\w-])/g;
const MOST_RULES = 5000;

function* rulesOf(list) {
  for (const rule of list) {
    if (rule.selectorText) yield rule.selectorText;
    if (rule.cssRules) yield* rulesOf(rule.cssRules);
  }
}

function* selectors() {
  const roots = [document, ...trail.path.filter((stop) => stop instanceof ShadowRoot)];
  let left = MOST_RULES;
  for (const root of roots) {
    for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) {
      let rules = [];
      try { rules = sheet.cssRules; } catch { /* of another origin */ }
      for (const selector of rulesOf(rules)) {
        if (left-- <= 0) return;
        yield* selector.split(/,(?![^(]*\))/);
      }
    }
  }
}

const meets = (el, selector) => {
  try { return el.matches(selector); } catch { return false; }
};

// A rule of style that a state of what was touched switches: for other elements (`acts`),
// or for itself (`own`).
const ruleFor = (elements, verb) => {
  const states = STATES[verb] || POINTED;
  let own = "";
  for (const selector of selectors()) {
    for (const { 0: text, 1: state, index } of selector.matchAll(STATE)) {
      if (!states.includes(state)) continue;
      let head = selector.slice(0, index).replace(STATE, "");
      const tail = selector.slice(index + text.length);
      const isInner = head.split("(").length > head.split(")").length;
      if (isInner) head = head.slice(head.lastIndexOf("(") + 1);
      if (!head.trim() || /[\s>+~]$/.test(head)) head += "*";
      if (!elements.some((el) => meets(el, head))) continue;
      const words = `the rule of style ${selector.trim().slice(0, 80)}`;
      if (isInner || /^[^\s>+~]*[\s>+~]/.test(tail)) return { acts: words, own };
      own = own || words;
    }
  }
  return { acts: "", own };
};

const EMPTY_SCRIPT = /^javascript:\s*(void\s*\(?\s*0\s*\)?|undefined|null|return)?\s*;?\s*$/i;
const targetOf = (fragment) => {
  let id = fragment;
  try { id = decodeURIComponent(fragment); } catch { /* as it is */ }
  return document.getElementById(id) || document.getElementsByName(id)[0];
};

// What a link does by itself; `own` where that is to change the address at the most.
const linkAnswer = (el) => {
  const href = (el.getAttribute("href") || "").trim();
  const acts = `the link leads to ${href.slice(0, 100) || "the page itself"}`;
  if (/^javascript:/i.test(href)) return EMPTY_SCRIPT.test(href) ? {} : { acts: "the link has a script of its own" };
  if (href[0] === "#" && !targetOf(href.slice(1))) return { own: "the link changes the address" };
  return { acts };
};

const buttonAnswer = (el) => {
  if (el.hasAttribute("popovertarget") || el.hasAttribute("commandfor")) return { acts: "the button works another element", more: ["toggle", "beforetoggle", "command"] };
  if (el.form && el.type !== "button") return { acts: `the button ${el.type === "reset" ? "resets" : "sends"} its form`, more: ["submit", "reset", "formdata", "invalid"] };
  return {};
};

// What a browser does of itself when an element is clicked.
const clickAnswer = (el) => {
  if (el.matches("a[href], area[href]")) return { ...linkAnswer(el), more: ["hashchange", "popstate"] };
  if (el instanceof HTMLButtonElement) return buttonAnswer(el);
  if (el instanceof HTMLInputElement && ["submit", "reset", "image", "button"].includes(el.type)) return buttonAnswer(el);
  if (el.localName === "summary") return { acts: "the summary opens its part", more: ["toggle", "beforetoggle"] };
  if (el instanceof HTMLMediaElement && el.controls) return { acts: "the player has controls", more: ["play", "pause"] };
  if (el instanceof HTMLLabelElement && el.control) return { own: "the label works its field", more: ["input", "change", "focus", "focusin"] };
  const control = el instanceof HTMLInputElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement;
  if (control || el.isContentEditable) return { own: "the field works by itself", more: ["input", "change", "focus", "focusin"] };
  return el.tabIndex >= 0 ? { more: ["focus", "focusin"] } : {};
};

const isOpenAbove = () => Boolean(document.querySelector(":modal, :popover-open"));

const dragAnswer = (el) => {
  if (el.getAttribute("draggable") === "true") return { acts: "it can be dragged by itself" };
  if (el instanceof HTMLInputElement) return { own: "the field works by itself", more: ["input", "change"] };
  return canScroll(el, 0, 0) || el === document.scrollingElement ? { own: "what it lies in scrolls by itself" } : {};
};

const keyAnswer = (el, keys) => {
  const isEnter = keys.includes("Enter");
  const isField = isEditable(el) && !(el instanceof HTMLTextAreaElement);
  if (isEnter && isField && el.form) return { acts: "Enter sends the form", more: ["submit", "formdata", "invalid", "change", "input"] };
  if (isEditable(el)) return { own: "the field takes the keys", more: ["beforeinput", "input", "change"] };
  if (isEnter || keys.includes("Space") || keys.includes(" ")) {
    const answer = clickAnswer(el);
    return answer.acts || answer.own || answer.more ? { ...answer, more: [...POINTING, ...(answer.more || [])] } : {};
  }
  if (el.matches("select, input")) return { own: "the field takes the keys", more: ["input", "change"] };
  return {};
};

// What could answer the input besides scripts, and to which events scripts may listen.
const answersTo = (verb, keys) => {
  const elements = trail.path.filter((stop) => stop instanceof Element && !isMasked(stop));
  const types = new Set(ANSWERS[verb] || POINTING);
  let { acts, own } = ruleFor(elements, verb);
  const byKeys = verb === "type" || verb === "press";
  const concerned = verb === "hover" ? [] : byKeys ? elements.slice(0, 1) : elements;
  for (const el of concerned) {
    const answer = byKeys ? keyAnswer(el, keys) : verb === "drag" || verb === "swipe" ? dragAnswer(el) : clickAnswer(el);
    for (const type of answer.more || []) types.add(type);
    acts = answer.acts || acts;
    own = own || answer.own || "";
  }
  if (keys.includes("Escape") && isOpenAbove()) acts = "Escape closes what lies above the page";
  if (keys.includes("Tab")) {
    own = own || "Tab moves the focus";
    for (const type of ["blur", "focusout", "change"]) types.add(type);
  }
  return { acts, own, types: [...types] };
};

// Why the wheel moved nothing.
const stillness = ({ el, dx, dy }) => {
  const isDown = Math.abs(dy) >= Math.abs(dx);
  const [size, content, at] = isDown ? [el.clientHeight, el.scrollHeight, el.scrollTop] : [el.clientWidth, el.scrollWidth, el.scrollLeft];
  const side = isDown ? "high" : "wide";
  if (content - size <= 1) return `its content is ${content} px ${side} and fits into ${size} px`;
  const forward = (isDown ? dy : dx) > 0;
  if (!canScroll(el, dx, dy) && (forward ? at >= content - size - 1 : at <= 1)) return "it stands at its end already";
  if (!canScroll(el, dx, dy)) return "its style forbids it (overflow)";
  return "a script holds it back";
};

// All of it, as plain data; times in milliseconds.
const tellTrail = ({ verb, keys }) => {
  fresh();
  const first = trail.path[0];
  return {
    age: Date.now() - trail.at,
    documentAge: performance.now(),
    marks: stops().map(markOf),
    left: trail.left.slice(0, MOST_STOPS).length,
    isClosed: Boolean(first instanceof Element && first.localName.includes("-") && !first.shadowRoot),
    ...answersTo(verb, keys),
    turnAge: Date.now() - turn.at,
    stillness: turn.el ? stillness(turn) : "",
  };
};
globalThis.iwrStops = stops;
