// Run a Python script with arguments in Pyodide, with one folder of this machine mounted:
//   node run_in_pyodide.mjs FOLDER SCRIPT [ARGUMENT ...]      (paths inside FOLDER)
// Standard output is what the script wrote; the exit status is the script's.
import { writeSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [folder, script, ...args] = process.argv.slice(2);
const python = await loadPyodide();
// A pipe that is full refuses a piece for a moment, and does not wait by itself.
const writeSome = (descriptor, bytes) => {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return 0;
  }
};
const writeAll = (descriptor) => ({
  write: (bytes) => {
    for (let done = 0; done < bytes.length; ) done += writeSome(descriptor, bytes.subarray(done));
    return bytes.length;
  },
});
python.setStdout(writeAll(1));
python.setStderr(writeAll(2));
python.FS.mkdir("/mounted");
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, "/mounted");
python.globals.set("command", python.toPy([script, ...args]));
const status = python.runPython(`
import os, runpy, sys
os.chdir("/mounted")
sys.argv = list(command)
status = 0
try:
    runpy.run_path(command[0], run_name="__main__")
except SystemExit as leaving:
    status = leaving.code or 0
sys.stdout.flush()
sys.stderr.flush()
status
`);
process.exitCode = status;
