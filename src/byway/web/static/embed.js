// A search box for another site: <script src="http://127.0.0.1:8600/embed.js"></script>
// Takes data-site="example.org" to search that site only, data-label and data-button for its words,
// and data-suggest for suggestions, which serve.cors_origins must allow.
(() => {
"use strict";
const own = document.currentScript;
// In a file with nothing but this line, the line is in the head, where no box can be.
if (document.head.contains(own)) addEventListener("DOMContentLoaded", () => document.body.prepend(box(own.dataset)));
else own?.after(box(own.dataset));

function box(wanted) {
  const form = document.createElement("form");
  form.action = new URL("/search", own.src).href;
  form.method = "get";
  form.acceptCharset = "utf-8";
  form.role = "search";
  form.className = "byway-box";
  const input = document.createElement("input");
  input.type = "search";
  input.name = "q";
  input.maxLength = 2000;
  input.placeholder = wanted.label || "Search";
  input.setAttribute("aria-label", input.placeholder);
  const button = document.createElement("button");
  button.textContent = wanted.button || "Search";
  form.append(input, button);
  if (wanted.site) {
    const site = document.createElement("input");
    site.type = "hidden";
    site.name = "site";
    site.value = wanted.site;
    form.append(site);
  }
  if ("suggest" in wanted) suggest(form, input);
  return form;
}

// The browser's own list: it has its keys, its colours and its place on every screen.
function suggest(form, input) {
  const list = document.createElement("datalist");
  list.id = `byway-suggestions-${document.querySelectorAll("form.byway-box").length}`;
  form.append(list);
  input.setAttribute("list", list.id);
  input.autocomplete = "off";
  let timer = 0, asking = null, refused = false;

  async function ask() {
    asking = new AbortController();
    const { signal } = asking;
    const url = new URL("/api/v1/suggest", own.src);
    url.search = new URLSearchParams({ q: input.value, limit: 8 });
    try {
      const reply = await fetch(url, { signal, credentials: "omit" });
      if (reply.ok) fill((await reply.json()).suggestions);
    } catch {
      if (signal.aborted) return;
      refused = true;
      console.warn(`byway: no suggestions; serve.cors_origins must name ${location.origin}, and a Content-Security-Policy must have ${url.origin} in connect-src`);
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
    asking?.abort();
    if (input.value.trim() && !refused) timer = setTimeout(ask, 120);
  });
}
})();
