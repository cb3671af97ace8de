// Runs in the frame before the page: a short-lived storage where the frame has none,
// and the task's assets under the names that scripts put together.
(() => {
  "use strict";
  const storage = () => {
    const kept = new Map();
    return {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (index) => [...kept.keys()][index] ?? null,
      get length() { return kept.size; },
    };
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    try { window[name]; } catch {
      Object.defineProperty(window, name, { value: storage(), configurable: true });
    }
  }
  const { mark, files } = JSON.parse(document.currentScript.dataset.assets);
  if (!Object.keys(files).length) return;
  const pattern = new RegExp(`(?:data:,)?[./]*${mark}/([\\w.%~+@/-]+)`, "g");
  const found = (text) => text.replace(pattern, (all, name) => files[name] ?? all);
  const names = ["src", "href", "xlink:href", "poster", "srcset", "style"];
  const mend = (element) => {
    for (const name of names) {
      const value = element.getAttribute?.(name);
      if (value?.includes(mark)) {
        const better = found(value);
        if (better !== value) element.setAttribute(name, better);
      }
    }
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes) {
      if (type === "attributes") mend(target);
      for (const node of addedNodes) {
        mend(node);
        node.querySelectorAll?.("*").forEach(mend);
      }
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: names });
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
  Object.defineProperty(HTMLImageElement.prototype, "src", {
    ...source,
    set(value) { source.set.call(this, found(String(value))); },
  });
})();
