// A search box for another site: <script src="http://127.0.0.1:8600/embed.js" async></script>
// Takes data-site="example.org" to search that site only, data-label and data-button for its words.
(() => {
  "use strict";
  const own = document.currentScript;
  if (!own) return;
  const form = document.createElement("form");
  form.action = new URL("/search", own.src).href;
  form.method = "get";
  form.role = "search";
  form.className = "byway-box";
  const input = document.createElement("input");
  input.type = "search";
  input.name = "q";
  input.maxLength = 2000;
  input.placeholder = own.dataset.label || "Search";
  input.setAttribute("aria-label", input.placeholder);
  const button = document.createElement("button");
  button.textContent = own.dataset.button || "Search";
  form.append(input, button);
  if (own.dataset.site) {
    const site = document.createElement("input");
    site.type = "hidden";
    site.name = "site";
    site.value = own.dataset.site;
    form.append(site);
  }
  own.after(form);
})();
