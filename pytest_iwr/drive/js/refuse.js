// Runs in the page's own world before its scripts: questions that only a person could
// answer, and that the browser would leave open, are refused as a person refuses them.
(() => {
  const w = window;
  const { apply } = Reflect;
  const refusal = (name, message) => Promise.reject(new DOMException(message, name));

  const replace = (owner, method, make) => {
    if (!owner || !(method in owner.prototype)) return;
    const real = owner.prototype[method];
    owner.prototype[method] = { [method](...args) { return make(() => apply(real, this, args), args); } }[method];
  };

  replace(w.MediaDevices, "getDisplayMedia", () => refusal("NotAllowedError", "Permission denied"));
  replace(w.USB, "requestDevice", () => refusal("NotFoundError", "No device selected."));
  replace(w.Serial, "requestPort", () => refusal("NotFoundError", "No port selected by the user."));
  replace(w.HID, "requestDevice", () => Promise.resolve([]));
  replace(w.EyeDropper, "open", () => refusal("AbortError", "The user canceled the selection."));
  // The browser's own refusal is another one, now and then, on a busy machine. Only it
  // can tell a call that nobody clicked for what it lacks.
  for (const method of ["showOpenFilePicker", "showSaveFilePicker", "showDirectoryPicker"]) {
    replace({ prototype: w }, method, (real) => navigator.userActivation.isActive ? refusal("AbortError", "The user aborted a request.") : real());
  }
  for (const method of ["get", "create"]) {
    replace(w.CredentialsContainer, method, (real, [options]) =>
      options && options.publicKey && options.mediation !== "conditional" ? refusal("NotAllowedError", "The operation was not allowed.") : real());
  }
  w.print = () => {};
})();
