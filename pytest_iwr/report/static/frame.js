// Runs in the frame before the page: takes away what reaches the network past its policy,
// gives a short-lived storage where the frame has none, and the task's assets under the
// names that scripts put together.
(() => {
  "use strict";
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"])
    delete window[name];

  // A frame inside would have them again: it shows its text, and runs no script.
  const { setAttribute, getAttribute, removeAttribute, attachShadow } = Element.prototype;
  const still = (frame) => {
    if (getAttribute.call(frame, "sandbox") === "") return;
    setAttribute.call(frame, "sandbox", "");
    const text = getAttribute.call(frame, "srcdoc");
    if (text === null) removeAttribute.call(frame, "src");
    else setAttribute.call(frame, "srcdoc", text); // loads it anew, without scripts
  };
  const isFrame = (node) => node instanceof HTMLIFrameElement || node instanceof HTMLFrameElement;
  const search = (node) => {
    if (isFrame(node)) still(node);
    if (node.shadowRoot) watch(node.shadowRoot);
    node.querySelectorAll?.("*").forEach((inner) => {
      if (isFrame(inner)) still(inner);
      if (inner.shadowRoot) watch(inner.shadowRoot);
    });
  };
  const watching = new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes) {
      if (type === "attributes" && isFrame(target)) still(target);
      addedNodes.forEach(search);
    }
  });
  const watched = new WeakSet([document]);
  const seen = { subtree: true, childList: true, attributeFilter: ["sandbox"] };
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    watching.observe(root, seen);
    search(root);
  };
  watching.observe(document, seen);
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    watch(root);
    return root;
  };

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
