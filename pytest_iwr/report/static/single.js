// One file: shows an evaluation in place of the overview, its pictures from the file.
(() => {
  "use strict";
  const overview = document.getElementById("overview");
  const place = document.getElementById("item");
  const pictures = new Map(
    [...document.querySelectorAll("script[data-file]")].map((one) => [one.dataset.file, one]));
  const told = JSON.parse(document.getElementById("told-data").textContent);
  const words = [];
  if (told.lacking) words.push(` ${told.lacking} pictures of broken steps are left out.`);
  if (told.left) words.push(` ${told.left} pictures of passed steps are left out.`);
  if (told.level) words.push(` Pictures are at most ${told.level[0]} px wide, at quality ${told.level[1]}, to fit.`);
  document.getElementById("told-pictures").textContent = words.join("");
  let back = "";
  let current = null;

  window.iwrPicture = (file) => {
    const found = pictures.get(file);
    return found ? `data:image/webp;base64,${found.textContent}` : "data:,";
  };

  function fill(root) {
    for (const image of root.querySelectorAll("img[data-picture]")) {
      if (pictures.has(image.dataset.picture)) image.src = window.iwrPicture(image.dataset.picture);
      else {
        const words = document.createElement("span");
        words.className = "nothing";
        words.textContent = "left out";
        (image.closest("button") ?? image).replaceWith(words);
      }
    }
  }

  function show() {
    const given = new URLSearchParams(location.hash.slice(1));
    const name = given.get("item");
    const template = name === null ? null : document.getElementById(`item-${name}`);
    if (!template) {
      if (current !== null) window.iwrViewer.close();
      current = null;
      place.hidden = true;
      overview.hidden = false;
      back = location.hash;
      return;
    }
    if (current !== name) {
      current = name;
      place.replaceChildren(template.content.cloneNode(true));
      fill(place);
      overview.hidden = true;
      place.hidden = false;
      place.querySelector("h1").focus();
      scrollTo(0, 0);
    }
    const data = JSON.parse(document.getElementById(`steps-${name}`).textContent);
    for (const step of data.steps)
      for (const side of ["reference", "shot", "diff"])
        if (step[side] && !pictures.has(step[side].src)) step[side] = null;
    window.iwrViewer.use(data);
  }

  place.addEventListener("click", (event) => {
    if (event.target.closest("[data-back]")) {
      event.preventDefault();
      location.hash = back.slice(1);
    }
    const asked = event.target.closest("[data-step]");
    if (asked) window.iwrViewer.open(Number(asked.dataset.step), current);
  });
  addEventListener("hashchange", show);
  fill(overview);
  show();
})();
