/* The page that diagnoses a log in the browser: what a person gives goes to a worker on this machine,
 * and the report that comes back is shown. Nothing here sends anything. */
(() => {
  const form = document.getElementById("paste");
  if (!form) return;
  const part = (name) => document.getElementById(`paste-${name}`);
  const text = part("text");
  const status = part("status");
  const progress = part("progress");
  const base = new URL(form.dataset.base, location.href);
  const chosen = new Map();
  let worker;
  let began;
  let clock;

  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  const size = (bytes) => (bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} KB` : megabytes(bytes));
  const total = () => [...chosen.values()].reduce((sum, file) => sum + file.size, 0);

  /* 1. What is given ------------------------------------------------------------------------ */

  function add(file, path = file.webkitRelativePath || file.name) {
    let name = path.replace(/^\/+/, "").split("/").filter((one) => one !== "." && one !== "..").join("/");
    for (let copy = 2; chosen.has(name) && !same(chosen.get(name), file); copy += 1) {
      name = `${path.replace(/^\/+/, "")}.${copy}`;
    }
    chosen.set(name, file);
  }

  const same = (one, other) => one.size === other.size && one.lastModified === other.lastModified;

  function list() {
    const shown = part("chosen");
    const names = [...chosen.keys()];
    shown.replaceChildren(...names.slice(0, 8).map((name) => row(name)));
    if (names.length > 8) {
      const rest = document.createElement("li");
      rest.textContent = `and ${names.length - 8} more, ${size(total())} together`;
      shown.append(rest);
    }
    part("clear").hidden = !names.length && !text.value;
  }

  function row(name) {
    const item = document.createElement("li");
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = "remove";
    remove.setAttribute("aria-label", `Remove ${name}`);
    remove.addEventListener("click", () => { chosen.delete(name); list(); });
    item.append(`${name} (${size(chosen.get(name).size)}) `, remove);
    return item;
  }

  async function walk(entry, into) {
    if (entry.isFile) {
      into.push([await new Promise((done, failed) => entry.file(done, failed)), entry.fullPath]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const one of some) await walk(one, into);
    }
  }

  async function dropped(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const found = [];
    const plain = [...transfer.files];
    for (const entry of entries) await walk(entry, found);
    for (const [file, path] of found) add(file, path);
    if (!entries.length) plain.forEach((file) => add(file));
    list();
  }

  addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("paste--over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("paste--over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("paste--over");
    dropped(event.dataTransfer).catch(failed);
  });
  for (const name of ["files", "folder"]) {
    part(name).addEventListener("change", ({ target }) => {
      [...target.files].forEach((file) => add(file));
      target.value = "";
      list();
    });
  }
  text.addEventListener("input", list);
  part("sample").addEventListener("change", async ({ target }) => {
    if (!target.value) return;
    const samples = await (await fetch(new URL("paste-samples.json", base))).json();
    startOver();
    for (const [name, content] of Object.entries(samples[target.value].files)) {
      add(new File([content], name), name);
    }
    list();
    diagnose();
  });

  /* 2. The run ------------------------------------------------------------------------------ */

  function given() {
    const files = [...chosen].map(([name, file]) => ({ name, file }));
    if (!text.value.trim()) return files;
    const name = chosen.has("pasted.log") ? "pasted text.log" : "pasted.log";
    return [...files, { name, file: new Blob([text.value]) }];
  }

  async function diagnose() {
    const files = given();
    if (!files.length) {
      say("Paste some text, or choose a file first.");
      text.focus();
      return;
    }
    busy(true);
    try {
      worker ??= await started();
      worker.postMessage({ base: base.href, files, format: part("format").value });
    } catch (error) {
      failed(error);
    }
  }

  async function started() {
    const source = await (await fetch(new URL("scripts/paste_worker.js", base))).text();
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const made = new Worker(address, { type: "module" });
    made.addEventListener("message", ({ data }) => heard(data));
    made.addEventListener("error", failed);
    return made;
  }

  function heard(data) {
    if (data.kind === "phase") say(data.text);
    if (data.kind === "read") showRead(data.bytes);
    if (data.kind === "failed") failed(new Error(data.text));
    if (data.kind === "done") {
      busy(false);
      show(data);
    }
  }

  function showRead(bytes) {
    const all = total() + text.value.length;
    progress.max = all;
    progress.value = Math.min(bytes, all);
    say(`Reading, ${megabytes(Math.min(bytes, all))} of ${megabytes(all)}`);
  }

  function failed(error) {
    stop();
    say(`It could not be run: ${error.message || "the worker could not be started"}. The checker itself does the same on your machine.`);
  }

  function stop() {
    worker?.terminate();
    worker = undefined;
    busy(false);
  }

  function busy(is) {
    clearInterval(clock);
    began = Date.now();
    part("run").disabled = is;
    part("cancel").hidden = !is;
    progress.hidden = !is;
    progress.removeAttribute("value");
    form.setAttribute("aria-busy", String(is));
    if (is) clock = setInterval(() => { status.dataset.seconds = seconds(); }, 1000);
    else delete status.dataset.seconds;
  }

  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  const say = (words) => { status.textContent = words; };

  /* 3. The report --------------------------------------------------------------------------- */

  const MEANINGS = {
    0: "Looked at everything: nothing was recognized.",
    1: "Something was recognized.",
    3: "Nothing readable was in it.",
    4: "Nothing was recognized, and a part could not be read.",
    70: "This is a defect of the checker, not of your run.",
  };
  const KINDS = { html: "text/html", text: "text/plain", json: "application/json" };

  function show({ status: code, report, trouble }) {
    const format = part("format").value;
    say([MEANINGS[code] ?? `The checker ended with status ${code}.`, trouble.trim()].filter(Boolean).join(" "));
    const page = part("page");
    const plain = part("plain");
    page.hidden = format !== "html" || !report;
    plain.hidden = format === "html" || !report;
    part("result").hidden = !report;
    // Links of the report open beside it; the report itself may run nothing.
    if (!page.hidden) page.srcdoc = report.replace("<head>", '<head><base target="_blank">');
    plain.textContent = report;
    const save = part("save");
    URL.revokeObjectURL(save.href);
    save.href = URL.createObjectURL(new Blob([report], { type: KINDS[format] }));
    save.download = `trainwreck-report.${format === "text" ? "txt" : format}`;
    part("result").scrollIntoView({ block: "nearest" });
  }

  part("page").addEventListener("load", ({ target }) => {
    const content = target.contentDocument?.body;
    if (!content) return;
    // The body's own height: that of the document is never less than the frame's.
    const fit = () => { target.style.height = `${content.offsetTop + content.offsetHeight + 40}px`; };
    new ResizeObserver(fit).observe(content);
  });

  function startOver() {
    chosen.clear();
    text.value = "";
    part("result").hidden = true;
    say("");
    list();
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); diagnose(); });
  part("cancel").addEventListener("click", () => { stop(); say("Canceled."); });
  part("clear").addEventListener("click", () => { stop(); startOver(); part("sample").value = ""; });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.hidden = false;
  addEventListener("pagehide", stop);
})();
