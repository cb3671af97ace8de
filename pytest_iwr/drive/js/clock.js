// Runs in the page's own world before its scripts: Date, random numbers, timers.
// `settings` = {secret, clock, seed}: milliseconds since 1970 or null, a 32-bit number.
((settings) => {
  const w = window;
  const { setTimeout: later, setInterval: every, requestAnimationFrame: onFrame, clearTimeout: cancelLater, cancelAnimationFrame: cancelFrame } = w;
  // The page may overwrite what it likes afterwards; these are kept as they were.
  const { apply, construct, get } = Reflect;
  const { stringify } = JSON;
  const RealEvent = w.CustomEvent;
  const send = w.dispatchEvent.bind(w);
  const RealDate = Date;
  const realNow = RealDate.now;
  const shift = settings.clock === null ? 0 : settings.clock - realNow();
  let heldAt = null;
  const now = () => (heldAt === null ? realNow() + shift : heldAt);

  w.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) => construct(target, args.length ? args : [now()], newTarget),
    get: (target, key, receiver) => (key === "now" ? now : get(target, key, receiver)),
  });
  RealDate.prototype.constructor = w.Date;

  // mulberry32: small, seeded, good enough for pages.
  let state = settings.seed >>> 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  // One-shot timers within a second and requests on their way are work in hand. A timer
  // set by a timer set by a timer … is a clock, not work.
  const SOON = 1000;
  const DEEP = 4;
  let depth = 0;
  const due = new Map();
  const beats = new Map(); // all timers that are set, and how long they take
  let fetches = 0;
  const queue = [];
  const whenFree = (run) => (heldAt === null ? run() : queue.push(run));

  w.setTimeout = function setTimeout(callback, delay, ...args) {
    const level = depth + 1;
    const wait = Number(delay) || 0;
    const id = apply(later, w, [() => {
      due.delete(id);
      beats.delete(id);
      whenFree(() => {
        const before = depth;
        depth = level;
        try {
          if (typeof callback === "function") apply(callback, w, args);
          else (0, eval)(String(callback));
        } finally {
          depth = before;
        }
      });
    }, delay]);
    beats.set(id, wait);
    if (wait <= SOON && level <= DEEP) due.set(id, level);
    return id;
  };
  w.clearTimeout = function clearTimeout(id) {
    due.delete(id);
    beats.delete(id);
    return apply(cancelLater, w, [id]);
  };
  w.clearInterval = w.clearTimeout;
  w.setInterval = function setInterval(callback, delay, ...args) {
    const isCode = typeof callback !== "function";
    const id = apply(every, w, [() => {
      if (heldAt !== null) return;
      const before = depth;
      depth = DEEP;
      try {
        if (isCode) (0, eval)(String(callback));
        else apply(callback, w, args);
      } finally {
        depth = before;
      }
    }, delay]);
    beats.set(id, Number(delay) || 0);
    return id;
  };

  // Frames that ask for the next one are an animation; one with more frames than that is
  // a loop without end, as is one that a clock begins.
  const MOST_FRAMES = 100;
  const frames = new Map();
  let number = null;
  w.requestAnimationFrame = function requestAnimationFrame(callback) {
    const own = number === null ? (depth >= DEEP ? MOST_FRAMES : 0) : number + 1;
    const id = apply(onFrame, w, [(time) => {
      frames.delete(id);
      whenFree(() => {
        const before = number;
        number = own;
        try {
          apply(callback, w, [time]);
        } finally {
          number = before;
        }
      });
    }]);
    frames.set(id, own);
    return id;
  };
  w.cancelAnimationFrame = function cancelAnimationFrame(id) {
    frames.delete(id);
    return apply(cancelFrame, w, [id]);
  };
  const drawn = () => [...frames.values()].filter((own) => own < MOST_FRAMES).length;

  const track = (promise) => {
    fetches += 1;
    const done = () => { fetches -= 1; };
    promise.then(done, done);
    return promise;
  };
  if (w.fetch) {
    const realFetch = w.fetch;
    w.fetch = function fetch(...args) {
      const promise = apply(realFetch, w, args);
      return depth >= DEEP ? promise : track(promise);
    };
  }
  if (w.XMLHttpRequest) {
    const realSend = XMLHttpRequest.prototype.send;
    XMLHttpRequest.prototype.send = function (...args) {
      if (depth < DEEP) track(new Promise((done) => this.addEventListener("loadend", done)));
      return apply(realSend, this, args);
    };
  }

  const answer = (detail) => send(new RealEvent(`${settings.secret}:answer`, { detail }));
  const onCommand = (event) => {
    if (event.detail === "hold") heldAt = now();
    if (event.detail === "release") {
      heldAt = null;
      for (const run of queue.splice(0)) apply(later, w, [run, 0]);
    }
    const quick = [...beats.values()].filter((wait) => wait <= SOON);
    answer(stringify({ __proto__: null, timers: due.size, fetches, frames: drawn(), beat: Math.max(0, ...quick) }));
  };
  const listen = w.addEventListener.bind(w, settings.secret, onCommand);
  listen();
  // Opening a document anew takes all listeners away.
  for (const name of ["open", "write", "writeln"]) {
    const real = Document.prototype[name];
    Document.prototype[name] = { [name](...args) {
      const result = apply(real, this, args);
      listen();
      return result;
    } }[name];
  }
})(SETTINGS);
