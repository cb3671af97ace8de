// A page of one evaluation: opens the viewer, follows the video, runs the page.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("viewer-data").textContent);
  document.addEventListener("click", (event) => {
    const asked = event.target.closest("[data-step]");
    if (!asked || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    window.iwrViewer.open(Number(asked.dataset.step));
  });

  const video = document.querySelector("video");
  const items = [...document.querySelectorAll(".step")];
  if (video) {
    let starts = [];
    const time = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;
    const place = () => {
      const known = video.dataset.known === "true";
      const last = Math.max(1, items.length - 1);
      starts = items.map((item, index) => known
        ? Number(item.dataset.video ?? Infinity)
        : index === 0 ? 0 : (video.duration * (index - 0.5)) / last);
      items.forEach((item, index) => {
        const when = item.querySelector(".when");
        if (when && Number.isFinite(starts[index])) when.textContent = (known ? "" : "about ") + time(starts[index]);
      });
    };
    const follow = () => {
      let current = 0;
      starts.forEach((start, index) => { if (start <= video.currentTime + 0.05) current = index; });
      items.forEach((item, index) => item.classList.toggle("now", index === current));
      const said = items[current]?.querySelector("h3")?.textContent.trim();
      if (!video.paused && said) document.getElementById("now").textContent = `Step ${said}`;
    };
    video.addEventListener("loadedmetadata", place);
    video.addEventListener("timeupdate", follow);
    video.addEventListener("seeked", follow);
    video.addEventListener("error", () => {
      document.getElementById("now").textContent = "This browser cannot play the video.";
    });
    if (video.readyState > 0) place();
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-seek]");
      if (!button) return;
      const start = starts[Number(button.dataset.seek)];
      if (Number.isFinite(start)) video.currentTime = start;
      video.scrollIntoView({ block: "nearest" });
    });
  }

  const run = document.getElementById("run");
  run?.addEventListener("click", () => {
    const place = document.getElementById("frame");
    place.replaceChildren();
    place.hidden = !place.hidden;
    run.textContent = place.hidden ? "Run the page here" : "Stop the page";
    if (place.hidden) return;
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "The page, running without network";
    frame.referrerPolicy = "no-referrer";
    frame.width = place.dataset.width;
    frame.height = place.dataset.height;
    frame.src = run.dataset.src;
    place.append(frame);
  });

  window.iwrViewer.use(data);
})();
