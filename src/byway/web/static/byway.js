// Progressive enhancement: theme, autocomplete, keyboard shortcuts, click reports, crawl progress.
(() => {
"use strict";

// Theme: stored in this browser only, and set before the first paint.
const THEMES = ["auto", "light", "dark"];
const storedTheme = {
  get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
  set: (value) => { try { localStorage.setItem("theme", value); } catch { /* storage is off */ } },
};
let theme = THEMES.includes(storedTheme.get()) ? storedTheme.get() : "auto";
function applyTheme(name) {
  theme = name;
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}
applyTheme(theme);

document.addEventListener("DOMContentLoaded", () => {
  themeSwitch(document.querySelector("button.theme"));
  const box = document.querySelector("input#q");
  if (box) combobox(box);
  shortcuts(box, document.querySelector("dialog.help"));
  for (const line of document.querySelectorAll("[data-live]")) crawlProgress(line);
  for (const list of document.querySelectorAll("[data-token]")) reportClicks(list);
});

function themeSwitch(button) {
  if (!button) return;
  const label = () => { button.textContent = button.dataset[theme]; };
  button.addEventListener("click", () => {
    applyTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
    storedTheme.set(theme);
    label();
  });
  label();
  button.hidden = false;
}

// Autocomplete: a combobox with a list, after the ARIA authoring practices.
function combobox(box) {
  const list = document.createElement("ul");
  list.className = "suggestions";
  list.id = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", box.dataset.suggestions);
  box.closest("form").append(list);
  const roles = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id, "aria-haspopup": "listbox" };
  for (const [name, value] of Object.entries(roles)) box.setAttribute(name, value);
  let typed = box.value, chosen = -1, timer = 0, request = null;

  // A late response must neither reopen the list nor replace it while a suggestion is chosen.
  function cancel() {
    clearTimeout(timer);
    request?.abort();
  }
  function close() {
    cancel();
    list.hidden = true;
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }
  function choose(index) {
    cancel();
    const items = [...list.children];
    chosen = (index + items.length + 1) % (items.length + 1);
    items.forEach((item, number) => item.setAttribute("aria-selected", String(number === chosen)));
    const item = items[chosen];
    if (item) box.setAttribute("aria-activedescendant", item.id);
    else box.removeAttribute("aria-activedescendant");
    box.value = item ? item.textContent : typed;
  }
  function fill(words) {
    list.replaceChildren(...words.map((text, number) => {
      const item = document.createElement("li");
      item.id = `suggestion-${number}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dir = "auto";
      item.textContent = text;
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        box.value = text;
        box.form.requestSubmit();
      });
      return item;
    }));
    chosen = -1;
    list.hidden = !words.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
  }
  async function load() {
    request?.abort();
    request = new AbortController();
    try {
      const reply = await fetch(`/api/v1/suggest?${new URLSearchParams({ q: typed })}`, { signal: request.signal });
      if (reply.ok) fill((await reply.json()).suggestions);
    } catch { /* the next letter tries again */ }
  }
  box.addEventListener("input", () => {
    typed = box.value;
    cancel();
    if (typed.trim()) timer = setTimeout(load, 120);
    else close();
  });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      box.value = typed;
      close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      const last = list.children.length;
      choose(event.key === "ArrowDown" ? (chosen < 0 ? 0 : chosen + 1) : (chosen < 0 ? last - 1 : chosen - 1));
      if (chosen === last) chosen = -1;
    }
  });
  box.addEventListener("blur", close);
  box.form.addEventListener("submit", close);
}

// Keyboard shortcuts.
function shortcuts(box, help) {
  const button = document.querySelector("button.keys");
  const toggle = () => (help.open ? help.close() : help.showModal());
  if (button && help) {
    button.hidden = false;
    button.addEventListener("click", toggle);
  }
  const hits = [...document.querySelectorAll(".hit h2 a")];
  function move(by) {
    const current = hits.findIndex((link) => link.closest(".hit").contains(document.activeElement));
    const next = current < 0 ? (by > 0 ? 0 : hits.length - 1) : Math.min(Math.max(current + by, 0), hits.length - 1);
    hits[next]?.focus();
    hits[next]?.scrollIntoView({ block: "nearest" });
    return hits.length > 0;
  }
  const turnPage = (rel) => {
    const link = document.querySelector(`a[rel="${rel}"]`);
    link?.click();
    return Boolean(link);
  };
  const actions = {
    "/": () => { box?.focus(); box?.select(); return Boolean(box); },
    "?": () => { if (help) toggle(); return Boolean(help); },
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    n: () => turnPage("next"), p: () => turnPage("prev"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.matches?.("input, textarea, select, [contenteditable]")) return;
    if (help?.open && event.key !== "?") return;
    // Arrows scroll the page unless a result has the focus.
    if (event.key.startsWith("Arrow") && !document.activeElement?.closest(".hit")) return;
    if (actions[event.key]?.()) event.preventDefault();
  });
}

// Click reports: sent as a beacon, so that result links are direct.
function reportClicks(list) {
  for (const link of list.querySelectorAll("a[data-to]")) {
    const fields = new URL(link.href).searchParams;
    fields.set("token", list.dataset.token);
    link.href = link.dataset.to;
    const report = () => navigator.sendBeacon("/open", fields);
    link.addEventListener("click", report);
    link.addEventListener("auxclick", (event) => { if (event.button === 1) report(); });
  }
}

// Progress of the crawl, refreshed every few seconds.
function crawlProgress(line) {
  const text = line.querySelector("span:last-child");
  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      const reply = await fetch(line.dataset.live);
      const progress = reply.ok ? await reply.text() : text.textContent;
      if (progress) text.textContent = progress;
      else { clearInterval(timer); line.remove(); }
    } catch { clearInterval(timer); }
  }, 3000);
}
})();
