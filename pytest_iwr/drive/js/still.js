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

// The document and the open shadow roots in it. A change in a shadow root is not seen
// from outside, so what is remembered holds for a moment only.
let known = { at: -Infinity, roots: [document] };
const rootsNow = () => {
  if (performance.now() - known.at > 200 || lastChange > known.at) {
    const hosts = [...elementsIn(document)].filter((el) => el.shadowRoot);
    known = { at: performance.now(), roots: [document, ...hosts.map((el) => el.shadowRoot)] };
  }
  return known.roots;
};

// A text cursor blinks, and what a finger touched pales slowly; a picture must not depend
// on when it was taken.
const caretless = new CSSStyleSheet();
caretless.replaceSync("*, *::before, *::after { caret-color: transparent !important; -webkit-tap-highlight-color: transparent !important; }");
const hideCaret = () => {
  for (const root of rootsNow()) {
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
  // The page may have changed what its world answers with.
  let told = null;
  try { told = JSON.parse(answer); } catch { /* nothing that could be read */ }
  const read = (name) => (told && Number.isFinite(told[name]) ? told[name] : 0);
  return { timers: read("timers"), fetches: read("fetches"), frames: read("frames"), beat: read("beat") };
};

const frame = () =>
  new Promise((done) => {
    // No frame comes while the window is hidden; a timer bounds the wait.
    const timer = setTimeout(done, 100);
    requestAnimationFrame(() => { clearTimeout(timer); done(); });
  });

const runningAnimations = () =>
  rootsNow().flatMap((root) => root.getAnimations()).filter((a) => a.playState === "running" && !a.timeline?.axis);

const endingAnimations = () =>
  runningAnimations().filter((a) => a.effect && Number.isFinite(a.effect.getComputedTiming().endTime));

const loadingImages = () =>
  [...document.images].filter((img) => !img.complete && (img.loading !== "lazy" || isInSight(img)));

// The first frame of a video that is on its way.
const loadingVideos = () =>
  [...document.querySelectorAll("video")].filter((v) => v.readyState < 2 && v.networkState === 2 && !v.error && isInSight(v));

// Whether a person sees the place of `el` now: a lazy picture elsewhere may never come.
const isInSight = (el) => {
  let part = meet(rectOf(el), { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  for (let up = parentOf(el); up && areaOf(part) > 0 && up !== document.body; up = parentOf(up)) {
    if (getComputedStyle(up).overflowX !== "visible") part = meet(part, rectOf(up));
  }
  return areaOf(part) > 0;
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
    for (const animation of endingAnimations()) {
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
    if (loadingVideos().length && now - start < LONGEST_TICKING) reasons.push("videos are loading");
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
    if (isOnlyTicking && hand.timers && now - start > LONGEST_TICKING) return reasons.join(", ");
    if (isOnlyRestless && now - start > longest) return reasons.join(", ");
    if (now - start > deadline) return reasons.join(", ");
  }
};

// What moves by itself and is brought to one moment for a picture: style sheets' endless
// animations to their start, drawings to a time at which what ends has ended and most
// loops begin, playing videos to their first frame.
const DRAWING_S = 27720; // the least common multiple of 1 to 12, so of most lengths
const REWIND_MS = 500;
const ABOUT_VIDEOS = ["ratechange", "seeking", "seeked", "timeupdate", "waiting", "canplay", "canplaythrough", "playing"];
let paused = [];
let drawings = [];
let videos = [];
const rewound = new Set();

// The page does not learn of it.
const keepFromPage = (event) => {
  if (!rewound.has(event.target)) return;
  event.stopImmediatePropagation();
  if (event.type === "seeked" && !videos.some((one) => one.video === event.target)) rewound.delete(event.target);
};
for (const type of ABOUT_VIDEOS) addEventListener(type, keepFromPage, { capture: true });

const holdVideos = async () => {
  const all = rootsNow().flatMap((root) => [...root.querySelectorAll("video")]);
  const playing = all.filter((v) => !v.paused && !v.ended && v.readyState > 1 && v.seekable.length);
  videos = playing.map((video) => ({ video, time: video.currentTime, rate: video.playbackRate }));
  const waiting = new Set(playing);
  for (const video of playing) {
    rewound.add(video);
    video.playbackRate = 0;
    video.requestVideoFrameCallback((_, shown) => { if (shown.mediaTime < 0.1) waiting.delete(video); });
    video.currentTime = 0;
  }
  const start = performance.now();
  while (waiting.size && performance.now() - start < REWIND_MS) await frame();
  if (playing.length) await frame();
};

const releaseVideos = () => {
  const held = videos;
  videos = [];
  for (const { video, time, rate } of held) {
    video.currentTime = time;
    video.playbackRate = rate;
  }
};

const holdDrawings = () => {
  const all = rootsNow().flatMap((root) => [...root.querySelectorAll("svg")]);
  const moving = all.filter((svg) => !svg.ownerSVGElement && svg.querySelector("animate, animateTransform, animateMotion, set"));
  drawings = moving.filter((svg) => !svg.animationsPaused()).map((svg) => ({ svg, time: svg.getCurrentTime() }));
  for (const { svg } of drawings) {
    svg.pauseAnimations();
    svg.setCurrentTime(DRAWING_S);
  }
};

const releaseDrawings = () => {
  for (const { svg, time } of drawings) {
    svg.setCurrentTime(time);
    svg.unpauseAnimations();
  }
  drawings = [];
};

// What moves by itself and cannot be held: pictures that are played frame by frame.
const MOVING_PICTURE = /\.(gif|apng)([?#]|$)|^data:image\/(gif|apng)/i;
const LONGEST_FRAME_MS = 600;
const hasMovingPicture = () =>
  performance.getEntriesByType("resource").some((entry) => MOVING_PICTURE.test(entry.name)) ||
  [...document.images].some((img) => MOVING_PICTURE.test(img.currentSrc));

// Gives the milliseconds between the turns of what moves on.
const hold = async () => {
  hideCaret();
  const { beat } = pageWorld("hold");
  paused = runningAnimations();
  for (const animation of paused) {
    animation.pause();
    animation.currentTime = 0;
  }
  holdDrawings();
  await holdVideos();
  return hasMovingPicture() ? Math.max(beat, LONGEST_FRAME_MS) : beat;
};

const release = () => {
  for (const animation of paused) animation.play();
  paused = [];
  releaseDrawings();
  releaseVideos();
  pageWorld("release");
};
