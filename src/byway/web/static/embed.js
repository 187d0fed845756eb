// A search box for another site: <script src="http://127.0.0.1:8600/embed.js"></script>
// Attributes: data-site="example.org" searches that site only, data-label and data-button set its
// texts, data-suggest adds suggestions, which serve.cors_origins must allow.
(() => {
"use strict";
const script = document.currentScript;
// In a file with this line only, the line is in the head, where there is no place for a box.
if (document.head.contains(script)) addEventListener("DOMContentLoaded", () => document.body.prepend(box(script.dataset)));
else script?.after(box(script.dataset));

function box(options) {
  const form = document.createElement("form");
  form.action = new URL("/search", script.src).href;
  form.method = "get";
  form.acceptCharset = "utf-8";
  form.role = "search";
  form.className = "byway-box";
  const input = document.createElement("input");
  input.type = "search";
  input.name = "q";
  input.maxLength = 2000;
  input.placeholder = options.label || "Search";
  input.setAttribute("aria-label", input.placeholder);
  const button = document.createElement("button");
  button.textContent = options.button || "Search";
  form.append(input, button);
  if (options.site) {
    const site = document.createElement("input");
    site.type = "hidden";
    site.name = "site";
    site.value = options.site;
    form.append(site);
  }
  if ("suggest" in options) suggest(form, input);
  return form;
}

// A datalist: the browser's own list works on every device.
function suggest(form, input) {
  const list = document.createElement("datalist");
  list.id = `byway-suggestions-${document.querySelectorAll("form.byway-box").length}`;
  form.append(list);
  input.setAttribute("list", list.id);
  input.autocomplete = "off";
  let timer = 0, request = null, rejected = false;

  async function load() {
    request = new AbortController();
    const { signal } = request;
    const url = new URL("/api/v1/suggest", script.src);
    url.search = new URLSearchParams({ q: input.value });
    try {
      const reply = await fetch(url, { signal, credentials: "omit" });
      if (reply.ok) fill((await reply.json()).suggestions);
    } catch {
      if (signal.aborted) return;
      rejected = true;
      console.warn(`byway: no suggestions; serve.cors_origins must list ${location.origin}, and a Content-Security-Policy must have ${url.origin} in connect-src`);
    }
  }
  function fill(words) {
    list.replaceChildren(...words.map((text) => {
      const option = document.createElement("option");
      option.value = text;
      return option;
    }));
  }
  input.addEventListener("input", () => {
    clearTimeout(timer);
    request?.abort();
    if (input.value.trim() && !rejected) timer = setTimeout(load, 120);
  });
}
})();
