// Tells what real input the page gets, and when; for videos of a drive.
(() => {
  if (globalThis.iwrLens === document) return;
  globalThis.iwrLens = document;

  // From this document's coordinates to the window's, as far as frames let one see.
  const offset = () => {
    let x = 0;
    let y = 0;
    for (let w = window; w !== w.top; w = w.parent) {
      let frame = null;
      try { frame = w.frameElement; } catch { /* of another origin */ }
      if (!frame) break;
      const box = frame.getBoundingClientRect();
      x += box.left + frame.clientLeft;
      y += box.top + frame.clientTop;
    }
    return { x, y };
  };

  const tell = (event) => {
    if (!event.isTrusted || !globalThis.iwrFelt) return;
    const said = { type: event.type, at: performance.timeOrigin + event.timeStamp };
    const place = event.touches ? event.touches[0] || event.changedTouches[0] : event;
    if (event.type === "keydown") {
      const isSecret = event.target instanceof HTMLInputElement && event.target.type === "password";
      said.key = isSecret && event.key.length === 1 ? "\u2022" : event.key;
      said.modifiers = ["Control", "Alt", "Meta", "Shift"].filter((name) => event.getModifierState(name));
    } else if (place) {
      const { x, y } = offset();
      said.x = place.clientX + x;
      said.y = place.clientY + y;
    }
    globalThis.iwrFelt(JSON.stringify(said));
  };

  const types = ["mousemove", "mousedown", "mouseup", "keydown", "wheel", "touchstart", "touchmove", "touchend", "dragover", "drop"];
  for (const type of types) addEventListener(type, tell, { capture: true, passive: true });
})();
