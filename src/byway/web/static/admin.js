// Live figures and charts of the crawl (server-sent events). Without JavaScript the page reloads itself.
const live = document.querySelector("[data-live]");
if (live) {
  const events = new EventSource(live.dataset.live);
  events.onmessage = (event) => {
    // The server has escaped these fragments, as it does the page.
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const element = document.getElementById(id);
      if (element) element.innerHTML = html;
    }
  };
}

// Progress of an evaluation. Without JavaScript the page reloads itself.
const bar = document.querySelector("[data-progress]");
if (bar) {
  const timer = setInterval(async () => {
    try {
      const reply = await fetch(bar.dataset.progress);
      const progress = await reply.json();
      bar.value = progress.done;
      if (!progress.running) {
        clearInterval(timer);
        location.reload();
      }
    } catch { clearInterval(timer); }
  }, 500);
}
