// Roles and accessible names (ARIA in HTML; Accessible Name and Description Computation
// 1.2, the parts that pages use), states and values.

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button",
  checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton",
  search: "searchbox", file: "button", color: "button", hidden: "",
};
const TAG_ROLES = {
  ARTICLE: "article", ASIDE: "complementary", BUTTON: "button", DATALIST: "listbox",
  DD: "definition", DETAILS: "group", DIALOG: "dialog", DT: "term", FIELDSET: "group",
  FIGURE: "figure", H1: "heading", H2: "heading", H3: "heading", H4: "heading",
  H5: "heading", H6: "heading", HR: "separator", IFRAME: "iframe", LI: "listitem",
  MAIN: "main", MENU: "list", METER: "meter", NAV: "navigation", OL: "list",
  OPTGROUP: "group", OPTION: "option", OUTPUT: "status", P: "paragraph",
  PROGRESS: "progressbar", SEARCH: "search", SUMMARY: "button", TABLE: "table",
  TBODY: "rowgroup", TD: "cell", TEXTAREA: "textbox", TFOOT: "rowgroup",
  TH: "columnheader", THEAD: "rowgroup", TR: "row", UL: "list", VIDEO: "video", AUDIO: "audio",
  CANVAS: "canvas",
};

const roleOf = (el) => {
  const given = fold(el.getAttribute("role")).toLowerCase().split(" ")[0];
  if (given && given !== "none" && given !== "presentation") return given === "image" ? "img" : given;
  const tag = el.tagName.toUpperCase();
  if (tag === "INPUT") {
    if (el.type in INPUT_ROLES) return INPUT_ROLES[el.type];
    return el.hasAttribute("list") ? "combobox" : "textbox";
  }
  if (tag === "SELECT") return el.multiple || el.size > 1 ? "listbox" : "combobox";
  if (tag === "A" || tag === "AREA") return el.hasAttribute("href") ? "link" : "generic";
  if (tag === "IMG") return el.getAttribute("alt") === "" ? "presentation" : "img";
  if (tag === "SVG") return "img";
  if (tag === "HEADER" || tag === "FOOTER") {
    const isInside = el.closest("article,aside,main,nav,section");
    return isInside ? "generic" : tag === "HEADER" ? "banner" : "contentinfo";
  }
  if (tag === "SECTION") return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ? "region" : "generic";
  if (tag === "FORM") return "form";
  if (el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return "textbox";
  return TAG_ROLES[tag] || "generic";
};

const FROM_CONTENT = new Set([
  "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem",
  "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab",
  "tooltip", "treeitem", "status",
]);

// Text of a subtree for a name: alternatives of images, captions, hidden parts left out.
const contentName = (el, depth) => {
  let text = pseudoText(el, "::before");
  for (const child of childrenOf(el)) {
    if (child instanceof Text) text += child.data;
    else if (child instanceof Element && !SILENT.has(child.tagName)) {
      if (child.getAttribute("aria-hidden") === "true") continue;
      const s = styleOf(child);
      if (s.display === "none" || s.visibility === "hidden") continue;
      const label = child.getAttribute("aria-label");
      const alt = child.tagName === "IMG" ? child.alt : null;
      const inner = label ?? alt ?? (depth < 12 ? controlText(child) || contentName(child, depth + 1) : "");
      text += s.display.startsWith("inline") ? inner : ` ${inner} `;
    }
  }
  return text + pseudoText(el, "::after");
};

const labelText = (label, control) => {
  let text = "";
  const visit = (node) => {
    if (node === control) return;
    if (node instanceof Text) text += node.data;
    else if (node instanceof HTMLSelectElement) return;
    else for (const child of childrenOf(node)) visit(child);
    if (node instanceof Element && !styleOf(node).display.startsWith("inline")) text += " ";
  };
  visit(label);
  return fold(text);
};

const labelOf = (el) => fold(labelsOf(el).map((label) => labelText(label, el)).join(" "));

const nameOf = (el) =>
  memo(cache.name, el, () => {
    const ids = fold(el.getAttribute("aria-labelledby")).split(" ").filter(Boolean);
    const root = el.getRootNode();
    const named = ids.map((id) => root.getElementById && root.getElementById(id)).filter(Boolean);
    const byIds = fold(named.map((other) => other.getAttribute("aria-label") || contentName(other, 0)).join(" "));
    if (byIds) return byIds;
    const given = fold(el.getAttribute("aria-label"));
    if (given) return given;
    const byLabel = labelOf(el);
    if (byLabel) return byLabel;
    const tag = el.tagName.toUpperCase();
    const own =
      tag === "INPUT" && ["button", "submit", "reset"].includes(el.type) ? controlText(el)
      : tag === "IMG" || tag === "AREA" || (tag === "INPUT" && el.type === "image") ? el.getAttribute("alt")
      : tag === "SVG" ? (el.querySelector("title") || {}).textContent
      : tag === "FIELDSET" ? (el.querySelector("legend") || {}).textContent
      : tag === "TABLE" ? (el.querySelector("caption") || {}).textContent
      : tag === "FIGURE" ? (el.querySelector("figcaption") || {}).textContent
      : FROM_CONTENT.has(roleOf(el)) ? contentName(el, 0)
      : "";
    return fold(own) || fold(el.getAttribute("title")) || fold(el.getAttribute("placeholder"));
  });

const isEditable = (el) => {
  if (el instanceof HTMLTextAreaElement) return !el.disabled && !el.readOnly;
  if (el instanceof HTMLInputElement) {
    const texts = ["text", "search", "url", "tel", "email", "password", "number", "date", "time", "month", "week", "datetime-local"];
    return texts.includes(el.type) && !el.disabled && !el.readOnly;
  }
  return Boolean(el && el.isContentEditable);
};

const valueOf = (el) => {
  if (el instanceof HTMLSelectElement) return fold([...el.selectedOptions].map((o) => o.text).join(", "));
  if ("value" in el && !(el instanceof HTMLLIElement) && !(el instanceof HTMLButtonElement)) return String(el.value);
  if (el.isContentEditable) return fold(el.innerText);
  return el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow") || "";
};

const isTrue = (el, attribute) => el.getAttribute(attribute) === "true";

const checkedOf = (el) => {
  if (el instanceof HTMLInputElement && ["checkbox", "radio"].includes(el.type)) return el.checked;
  return isTrue(el, "aria-checked") || isTrue(el, "aria-pressed");
};

const selectedOf = (el) => {
  if (el instanceof HTMLOptionElement) return el.selected;
  const current = el.getAttribute("aria-current");
  if (isTrue(el, "aria-selected") || isTrue(el, "aria-pressed") || isTrue(el, "aria-checked")) return true;
  if (current && current !== "false") return true;
  if (el instanceof HTMLInputElement) return el.checked;
  const words = /(^|[-_ ])(selected|active|current|is-active|on)($|[-_ ])/;
  const parent = parentOf(el);
  const isOnlyChild = parent && parent.children.length === 1;
  return words.test(el.getAttribute("class") || "") || Boolean(isOnlyChild && words.test(parent.getAttribute("class") || ""));
};

const disabledOf = (el) => el.matches(":disabled") || Boolean(el.closest("[aria-disabled=true]"));

const INTERACTIVE_ROLES = new Set([
  "button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "treeitem",
]);

const isInteractive = (el) =>
  INTERACTIVE_ROLES.has(roleOf(el)) ||
  el instanceof HTMLLabelElement ||
  el.hasAttribute("onclick") ||
  (el.hasAttribute("tabindex") && el.tabIndex >= 0) ||
  (styleOf(el).cursor === "pointer" && (!parentOf(el) || styleOf(parentOf(el)).cursor !== "pointer"));

const describe = (el) => {
  if (!el) return "nothing";
  const role = roleOf(el);
  const words = nameOf(el) || fold(el.textContent).slice(0, 60);
  const kind = role === "generic" || role === "presentation" ? `<${el.tagName.toLowerCase()}>` : role;
  const clipped = words.length > 60 ? `${words.slice(0, 59)}…` : words;
  return clipped ? `${kind} '${clipped}'` : kind;
};
