/* What the theme has in every page, once for all of them: how it remembers a choice, and what must
 * be chosen before a page is drawn. The names that begin with __md_ are read by the theme's script. */
"use strict";
var __md_scope = new URL("..", document.currentScript.src);
var __md_hash = (text) => [...text].reduce((sum, one) => (sum << 5) - sum + one.charCodeAt(0), 0);
var __md_get = (key, storage = localStorage, scope = __md_scope) => JSON.parse(storage.getItem(`${scope.pathname}.${key}`));
var __md_set = (key, value, storage = localStorage, scope = __md_scope) => {
  try {
    storage.setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch (error) { /* nothing can be kept in this browser */ }
};
var early = {
  /* Takes the scheme that was chosen last; one that follows the system is asked of the system again. */
  palette() {
    const color = __md_get("__palette")?.color;
    if (!color) return;
    if (color.media === "(prefers-color-scheme)") {
      const light = matchMedia("(prefers-color-scheme: light)").matches;
      const input = document.querySelector(`[data-md-color-media='(prefers-color-scheme: ${light ? "light" : "dark"})']`);
      for (const part of ["media", "scheme", "primary", "accent"]) color[part] = input.getAttribute(`data-md-color-${part}`);
    }
    for (const [part, value] of Object.entries(color)) document.body.setAttribute(`data-md-color-${part}`, value);
  },

  /* Opens the tabs that were chosen last, and the one that the address names. */
  tabs() {
    const chosen = __md_get("__tabs");
    for (const set of Array.isArray(chosen) ? document.querySelectorAll(".tabbed-set") : []) {
      const labels = [...set.querySelector(".tabbed-labels").getElementsByTagName("label")];
      const label = chosen.map((tab) => labels.find((one) => one.innerText.trim() === tab)).find(Boolean);
      if (label) document.getElementById(label.htmlFor).checked = true;
    }
    const target = document.getElementById(location.hash.slice(1));
    if (target?.name) target.checked = target.name.startsWith("__tabbed_");
  },
};
