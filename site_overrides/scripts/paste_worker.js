/* Runs the checker in Python, away from the page: names and files enter, a report leaves.
 * The page starts this text from a blob: address, so that the page's own policy binds it. */
const STARTED = `
import io, sys
# A module of its own name, by which the checker finds its records again that it keeps packed.
sys.path.insert(0, "/")
import trainwreck

def started():
    parts = (trainwreck.CATALOGUE_ROWS, trainwreck.CATALOGUE_SHA256, trainwreck.CATALOGUE_DATE)
    return trainwreck.main, trainwreck.read_catalogue(*parts)

main, catalogue = started()

def answer(words):
    kept = sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in kept]
    sys.stdout, sys.stderr = streams
    try:
        status = main(list(words), catalogue)
    finally:
        sys.stdout, sys.stderr = kept
    for stream in streams:
        stream.flush()
    return (status, *[stream.buffer.getvalue().decode("utf-8") for stream in streams])
`;
const LOGS = "/logs";
let ready;
let read = 0;
let told = 0;

async function start(base) {
  postMessage({ kind: "phase", text: "Loading Python (13 MB, once)" });
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", base).href);
  const python = await loadPyodide({ indexURL: new URL("pyodide/", base).href });
  postMessage({ kind: "phase", text: "Loading the checker" });
  const script = await fetch(new URL("trainwreck.py", base));
  if (!script.ok) throw new Error(`trainwreck.py: the server answers ${script.status}`);
  python.FS.writeFile("/trainwreck.py", new Uint8Array(await script.arrayBuffer()));
  python.runPython(STARTED);
  python.FS.mkdir(LOGS);
  count(python.FS.filesystems.WORKERFS.stream_ops);
  return python;
}

/* Tell the page how many bytes were read, a few times in a second. */
function count(operations) {
  const plain = operations.read;
  operations.read = (...given) => {
    const bytes = plain(...given);
    read += bytes;
    if (Date.now() - told > 100) {
      told = Date.now();
      postMessage({ kind: "read", bytes: read });
    }
    return bytes;
  };
}

function diagnose(python, files, format) {
  const { FS } = python;
  const logs = FS.filesystems.WORKERFS;
  FS.mount(logs, { blobs: files.map(({ name, file }) => ({ name, data: file })) }, LOGS);
  FS.chdir(LOGS);
  read = 0;
  const tops = [...new Set(files.map(({ name }) => name.split("/")[0]))].sort();
  // A name that begins with a hyphen would be an option.
  const words = ["check", "--format", format, ...tops.map((name) => name.replace(/^-/, "./-"))];
  const run = python.globals.get("answer");
  try {
    const [status, report, trouble] = run(python.toPy(words)).toJs();
    return { status, report, trouble };
  } finally {
    run.destroy();
    FS.chdir("/");
    FS.unmount(LOGS);
  }
}

addEventListener("message", async ({ data }) => {
  try {
    ready ??= start(data.base);
    const python = await ready;
    postMessage({ kind: "phase", text: "Reading" });
    postMessage({ kind: "done", ...diagnose(python, data.files, data.format) });
  } catch (error) {
    ready = undefined;
    postMessage({ kind: "failed", text: String(error?.message ?? error) });
  }
});
