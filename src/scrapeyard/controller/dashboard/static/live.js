// Keeps the parts marked `data-live` as they are on the server, and says times in the viewer's own zone.
// Without this the page reads just as well; it is only as old as its loading.
"use strict";

const EVERY = 2000;
const SLOWEST = 30000;
let pause = EVERY;

function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime"));
    if (!Number.isNaN(at.getTime())) {
      time.title = time.textContent;
      time.textContent = at.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
    }
  }
}

function busy(part) {
  return part.contains(document.activeElement) && document.activeElement !== document.body;
}

function replace(fresh) {
  for (const part of document.querySelectorAll("[data-live][id]")) {
    const other = fresh.getElementById(part.id);
    if (!other || busy(part)) continue;
    const open = [...part.querySelectorAll("details")].map((one) => one.open);
    localTimes(other);
    if (other.innerHTML === part.innerHTML) continue;
    part.replaceChildren(...other.childNodes);
    part.querySelectorAll("details").forEach((one, place) => { one.open = open[place] || false; });
  }
}

async function look() {
  const pulse = document.getElementById("pulse");
  if (!document.hidden) {
    try {
      const answer = await fetch(location.href, { headers: { "X-Requested-With": "live" } });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
      pulse.textContent = "";
      pause = EVERY;
    } catch {
      pulse.textContent = "The server does not answer; what you see may be old.";
      pause = Math.min(SLOWEST, pause * 2);
    }
  }
  setTimeout(look, pause);
}

localTimes(document);
if (document.querySelector("[data-live]")) setTimeout(look, EVERY);
