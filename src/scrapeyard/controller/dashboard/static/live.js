// Keeps the parts marked `data-live` as they are on the server, and says times in the viewer's own zone.
// The server sends the page anew when it has changed. Without this the page reads just as well.
"use strict";

let stream = null;

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

function listen() {
  const pulse = document.getElementById("pulse");
  stream = new EventSource(location.href);
  stream.onmessage = (message) => {
    replace(new DOMParser().parseFromString(message.data, "text/html"));
    pulse.textContent = "";
  };
  stream.onerror = () => {
    pulse.textContent = "The server does not answer; what you see may be old.";
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
  stream.onopen = () => { pulse.textContent = ""; };
}

localTimes(document);
if (document.querySelector("[data-live]")) {
  listen();
  document.addEventListener("visibilitychange", () => {
    stream.close();
    if (!document.hidden) listen();
  });
}
