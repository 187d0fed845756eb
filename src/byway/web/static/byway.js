// What makes the pages nicer where scripts run; everything works without.
(() => {
"use strict";

// Colours: kept in this browser only, and set before anything is drawn.
const THEMES = ["auto", "light", "dark"];
const kept = {
  get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
  set: (value) => { try { localStorage.setItem("theme", value); } catch { /* not kept then */ } },
};
let theme = THEMES.includes(kept.get()) ? kept.get() : "auto";
function show(which) {
  theme = which;
  if (which === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = which;
}
show(theme);

document.addEventListener("DOMContentLoaded", () => {
  themeSwitch(document.querySelector("button.theme"));
  const box = document.querySelector("input#q");
  if (box) combobox(box);
  keys(box, document.querySelector("dialog.help"));
  for (const one of document.querySelectorAll("[data-live]")) live(one);
  for (const list of document.querySelectorAll("[data-token]")) remembered(list);
});

function themeSwitch(button) {
  if (!button) return;
  const label = () => { button.textContent = button.dataset[theme]; };
  button.addEventListener("click", () => {
    show(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
    kept.set(theme);
    label();
  });
  label();
  button.hidden = false;
}

// Suggestions, as the ARIA authoring practices describe a combobox with a list.
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
  let typed = box.value, chosen = -1, timer = 0, asking = null;

  // An answer that comes later must not open what was left, nor replace what is chosen from.
  function hush() {
    clearTimeout(timer);
    asking?.abort();
  }
  function close() {
    hush();
    list.hidden = true;
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }
  function choose(place) {
    hush();
    const items = [...list.children];
    chosen = (place + items.length + 1) % (items.length + 1);
    items.forEach((item, each) => item.setAttribute("aria-selected", String(each === chosen)));
    const item = items[chosen];
    if (item) box.setAttribute("aria-activedescendant", item.id);
    else box.removeAttribute("aria-activedescendant");
    box.value = item ? item.textContent : typed;
  }
  function fill(words) {
    list.replaceChildren(...words.map((text, place) => {
      const item = document.createElement("li");
      item.id = `suggestion-${place}`;
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
  async function ask() {
    asking?.abort();
    asking = new AbortController();
    try {
      const reply = await fetch(`/api/v1/suggest?${new URLSearchParams({ q: typed, limit: 8 })}`, { signal: asking.signal });
      if (reply.ok) fill((await reply.json()).suggestions);
    } catch { /* the next letter asks again */ }
  }
  box.addEventListener("input", () => {
    typed = box.value;
    hush();
    if (typed.trim()) timer = setTimeout(ask, 120);
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

// Keys for those who leave the mouse alone.
function keys(box, help) {
  const button = document.querySelector("button.keys");
  const toggle = () => (help.open ? help.close() : help.showModal());
  if (button && help) {
    button.hidden = false;
    button.addEventListener("click", toggle);
  }
  const hits = [...document.querySelectorAll(".hit h2 a")];
  function move(by) {
    const here = hits.findIndex((link) => link.closest(".hit").contains(document.activeElement));
    const next = here < 0 ? (by > 0 ? 0 : hits.length - 1) : Math.min(Math.max(here + by, 0), hits.length - 1);
    hits[next]?.focus();
    hits[next]?.scrollIntoView({ block: "nearest" });
    return hits.length > 0;
  }
  const turn = (which) => {
    const link = document.querySelector(`a[rel="${which}"]`);
    link?.click();
    return Boolean(link);
  };
  const does = {
    "/": () => { box?.focus(); box?.select(); return Boolean(box); },
    "?": () => { if (help) toggle(); return Boolean(help); },
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    n: () => turn("next"), p: () => turn("prev"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.matches?.("input, textarea, select, [contenteditable]")) return;
    if (help?.open && event.key !== "?") return;
    // Arrows scroll as ever, until one is at a result.
    if (event.key.startsWith("Arrow") && !document.activeElement?.closest(".hit")) return;
    if (does[event.key]?.()) event.preventDefault();
  });
}

// What is opened is told by the way, so that the link can lead straight there.
function remembered(list) {
  for (const link of list.querySelectorAll("a[data-to]")) {
    const told = new URL(link.href).searchParams;
    told.set("token", list.dataset.token);
    link.href = link.dataset.to;
    const tell = () => navigator.sendBeacon("/open", told);
    link.addEventListener("click", tell);
    link.addEventListener("auxclick", (event) => { if (event.button === 1) tell(); });
  }
}

// How the crawl comes along.
function live(line) {
  const text = line.querySelector("span:last-child");
  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      const reply = await fetch(line.dataset.live);
      const said = reply.ok ? await reply.text() : text.textContent;
      if (said) text.textContent = said;
      else { clearInterval(timer); line.remove(); }
    } catch { clearInterval(timer); }
  }, 3000);
}
})();
