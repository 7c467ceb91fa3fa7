/* The search boxes: a line is pasted or words are typed, and the failures that print them are listed.
 * All that comes from an entry or from the person is put in as text. */
"use strict";
(() => {
  const forms = [...document.querySelectorAll("[data-find]")];
  if (!forms.length) return;
  const base = new URL(forms[0].dataset.base, location.href);
  const onDisk = location.protocol === "file:";
  const MEANS = ["", "Alone only a hint", "Alone it makes it likely", "Alone it makes it certain"];

  let finder;
  /* Loads the data at the first search; as a script, since a page on a disk may not read a file. */
  function loaded() {
    finder ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL("search/data.js", base);
      script.addEventListener("load", () => done(globalThis.trainwreckFinder(globalThis.trainwreckSearch)));
      script.addEventListener("error", () => { finder = undefined; failed(new Error("no data")); });
      document.head.append(script);
    });
    return finder;
  }

  /* A file system opens no folder, so that there a page is named. */
  const address = (at) => new URL(onDisk ? at.replace(/\/(?=#|$)/, "/index.html") : at, base).href;

  const element = (name, style, ...content) => {
    const made = document.createElement(name);
    if (style) made.className = style;
    made.append(...content);
    return made;
  };

  /* The text, with the words that were looked for marked. */
  function marked(text, words) {
    return text.split(/([\p{L}\p{N}]+)/u).map((part, at) => (
      at % 2 && words.has(part.toLowerCase()) ? element("mark", "", part) : part
    ));
  }

  function item({ page, message, worth, printed, words }) {
    const link = element("a", "hit");
    link.href = address(page.at);
    link.append(element("span", "hit__title", page.title));
    if (message) link.append(element("code", "hit__message", ...marked(message, words)));
    const means = printed ? `${MEANS[worth]}. ` : "";
    link.append(element("span", "hit__says", means ? element("b", "", means) : "", page.says));
    return element("li", "", link);
  }

  const several = (count) => (count === 1 ? "1 page" : `${count} pages`);

  function told(results) {
    if (!results.length) return ["Nothing has these words. ", pasteLink()];
    const printed = new Set(results.filter((one) => one.printed).map((one) => one.message));
    if (!printed.size) return [several(results.length) + (results.length > 1 ? ", the nearest first" : "")];
    const shared = results.filter((one) => one.printed && one.message === results[0].message).length;
    return [shared > 1 ? `${shared} failures print this line; each page says what tells it apart` : several(results.length)];
  }

  function pasteLink() {
    const link = element("a", "", "Paste the whole log");
    link.href = address("paste/");
    return link;
  }

  function bring(form) {
    const box = form.querySelector(".find__box");
    const found = form.querySelector(".find__found");
    const list = form.querySelector(".find__list");
    const status = form.querySelector(".find__status");
    const clear = form.querySelector(".find__clear");
    const links = () => [...list.querySelectorAll("a")];
    let asked = 0;

    function close() {
      found.hidden = true;
      form.classList.remove("find--open");
    }

    async function show() {
      const query = box.value;
      const number = ++asked;
      clear.hidden = !query;
      if (!query.trim()) { list.replaceChildren(); close(); return; }
      form.classList.add("find--open");
      try {
        const results = (await loaded())(query);
        if (number !== asked) return;
        list.replaceChildren(...results.map(item));
        status.replaceChildren(...told(results));
      } catch {
        list.replaceChildren();
        status.textContent = "The data of the search could not be loaded.";
      }
      found.hidden = false;
    }

    function move(event, by) {
      const all = links();
      if (found.hidden || !all.length) return;
      const at = all.indexOf(document.activeElement) + by;
      event.preventDefault();
      if (at < 0) box.focus();
      else all[Math.min(at, all.length - 1)].focus();
    }

    box.addEventListener("input", show);
    // Of a long line the beginning is seen.
    box.addEventListener("paste", () => setTimeout(() => { box.setSelectionRange(0, 0); box.scrollLeft = 0; }));
    box.addEventListener("focus", () => { loaded().catch(() => {}); if (box.value.trim() && found.hidden) show(); });
    form.addEventListener("reset", () => { setTimeout(() => { show(); box.focus(); }); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") move(event, 1);
      else if (event.key === "ArrowUp") move(event, -1);
      else if (event.key === "Escape") { close(); box.blur(); }
      else if (event.key === "Enter" && event.target === box && !event.shiftKey) {
        event.preventDefault();
        show().then(() => links()[0]?.click());
      }
    });
    if (form.dataset.find === "header") {
      document.addEventListener("pointerdown", (event) => { if (!form.contains(event.target)) close(); });
      form.addEventListener("focusout", (event) => {
        if (event.relatedTarget && !form.contains(event.relatedTarget)) close();
      });
    }
    const open = form.querySelector(".find__open");
    open?.addEventListener("click", () => {
      const shown = form.classList.toggle("find--shown");
      open.setAttribute("aria-expanded", String(shown));
      if (shown) box.focus();
    });
    form.hidden = false;
    return { form, box, open };
  }

  const boxes = forms.map(bring);
  const { form: main, box, open } = boxes.at(-1);

  function begin() {
    if (open && !main.classList.contains("find--shown") && getComputedStyle(open).display !== "none") open.click();
    box.focus();
    box.select();
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !["/", "s"].includes(event.key)) return;
    event.preventDefault();
    begin();
  });
  const query = new URLSearchParams(location.search).get("q");
  if (query) {
    box.value = query;
    begin();
    box.dispatchEvent(new Event("input"));
  }
})();
