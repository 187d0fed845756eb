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
