// Numbers and charts that follow the crawl. Without this the page is the same, and reloads itself.
const live = document.querySelector("[data-live]");
if (live) {
  const events = new EventSource(live.dataset.live);
  events.onmessage = (event) => {
    // The server made and escaped these pieces, as it did the page.
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const place = document.getElementById(id);
      if (place) place.innerHTML = html;
    }
  };
}

// How far a measurement is. Without this the page reloads itself.
const bar = document.querySelector("[data-progress]");
if (bar) {
  const timer = setInterval(async () => {
    try {
      const reply = await fetch(bar.dataset.progress);
      const told = await reply.json();
      bar.value = told.done;
      if (!told.running) {
        clearInterval(timer);
        location.reload();
      }
    } catch { clearInterval(timer); }
  }, 500);
}
