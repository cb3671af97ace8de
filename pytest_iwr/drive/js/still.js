// When the page has come to rest after an action, and holding it still for a picture.

let lastChange = performance.now();

// Scripts and style sheets that scripts add: on their way until they load or fail.
const arriving = new Set();
const follow = (node) => {
  const isScript = node instanceof HTMLScriptElement && node.src;
  const isSheet = node instanceof HTMLLinkElement && node.rel === "stylesheet" && node.href;
  if (!isScript && !isSheet) return;
  arriving.add(node);
  const done = () => arriving.delete(node);
  for (const end of ["load", "error"]) node.addEventListener(end, done, { once: true });
};

new MutationObserver((records) => {
  lastChange = performance.now();
  // What the parser meets is covered by the document's own state.
  if (document.readyState !== "loading") for (const record of records) record.addedNodes.forEach(follow);
}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
const onScroll = () => { lastChange = performance.now(); };

// A text cursor blinks; a picture must not depend on when it was taken.
const caretless = new CSSStyleSheet();
caretless.replaceSync("*, *::before, *::after { caret-color: transparent !important; }");
const hideCaret = () => {
  for (const root of [document, ...[...elementsIn(document)].map((el) => el.shadowRoot).filter(Boolean)]) {
    if (!root.adoptedStyleSheets.includes(caretless)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, caretless];
  }
};

// The clock of the page's own world tells what it still has in hand (see clock.js).
const pageWorld = (command) => {
  let answer = null;
  const hear = (event) => { answer = event.detail; };
  addEventListener(`${SECRET}:answer`, hear, { once: true });
  dispatchEvent(new CustomEvent(SECRET, { detail: command }));
  removeEventListener(`${SECRET}:answer`, hear);
  return JSON.parse(answer) || { timers: 0, fetches: 0, frames: 0 };
};

const frame = () =>
  new Promise((done) => {
    // No frame comes while the window is hidden; a timer bounds the wait.
    const timer = setTimeout(done, 100);
    requestAnimationFrame(() => { clearTimeout(timer); done(); });
  });

const runningAnimations = () =>
  document.getAnimations().filter((a) => {
    const timing = a.effect && a.effect.getComputedTiming();
    return timing && a.playState === "running" && Number.isFinite(timing.endTime) && !a.timeline?.axis;
  });

const loadingImages = () =>
  [...document.images].filter((img) => !img.complete && (img.loading !== "lazy" || isNearView(img)));

const isNearView = (el) => {
  const r = el.getBoundingClientRect();
  return r.bottom >= -innerHeight && r.top <= 2 * innerHeight;
};

const CHANGING = "the page keeps changing";
const DRAWING = "an animation is drawn";
const DUE = "timers are due";
const LONGEST_TICKING = 1700;
const LONGEST_DRAWING = 4000; // on a slow machine, for as many frames as clock.js counts

// Resolves when nothing is on its way any more, with "" or with what still moves.
// Regular timers and endless animations never end: after `patience` they are let be.
const settle = async ({ deadline, patience }) => {
  const start = performance.now();
  addEventListener("scroll", onScroll, { capture: true, passive: true });
  for (;;) {
    const begun = performance.now();
    for (const animation of runningAnimations()) {
      try { animation.finish(); } catch { animation.cancel(); }
    }
    await frame();
    await frame();
    const now = performance.now();
    const hand = pageWorld("busy");
    const reasons = [];
    if (document.readyState !== "complete") reasons.push("the page is loading");
    if (document.fonts && document.fonts.status === "loading") reasons.push("fonts are loading");
    if (loadingImages().length) reasons.push("images are loading");
    for (const node of arriving) if (!node.isConnected) arriving.delete(node);
    if (arriving.size) reasons.push("scripts are loading");
    if (hand.timers) reasons.push(DUE);
    if (hand.fetches) reasons.push("requests are open");
    if (hand.frames) reasons.push(DRAWING);
    if (lastChange >= begun) reasons.push(CHANGING);
    if (!reasons.length) return "";
    const isOnlyRestless = reasons.every((reason) => reason === CHANGING || reason === DRAWING);
    const longest = hand.frames ? LONGEST_DRAWING : patience;
    // A timer that is always due anew is a clock, whichever way it is wound up.
    const isOnlyTicking = reasons.every((reason) => [CHANGING, DRAWING, DUE].includes(reason));
    if (isOnlyTicking && now - start > LONGEST_TICKING) return reasons.join(", ");
    if (isOnlyRestless && now - start > longest) return reasons.join(", ");
    if (now - start > deadline) return reasons.join(", ");
  }
};

let paused = [];

const hold = () => {
  hideCaret();
  pageWorld("hold");
  paused = document.getAnimations().filter((a) => a.playState === "running" && !a.timeline?.axis);
  for (const animation of paused) {
    animation.pause();
    animation.currentTime = 0;
  }
};

const release = () => {
  for (const animation of paused) animation.play();
  paused = [];
  pageWorld("release");
};
