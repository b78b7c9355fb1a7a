// node run-wasi.mjs PROGRAM.wasm ARGUMENT...: runs a WASI program, which sees the files of this machine, and ends with its
// exit status; a trap is 3.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { WASI } from 'node:wasi';

// Folders of the root one by one: wasi-libc takes the root itself for the current folder.
const preopens = { '.': process.cwd() };
for (const name of readdirSync('/'))
    if (statSync('/' + name, { throwIfNoEntry: false })?.isDirectory())
        preopens['/' + name] = '/' + name;

process.removeAllListeners('warning'); // node says that WASI is experimental
const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: {}, returnOnExit: true, preopens });
let status = 3;
try {
    const module = new WebAssembly.Module(readFileSync(program));
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
    status = wasi.start(instance);
} catch (trap) {
    process.stderr.write(`${program}: ${trap.stack}\n`);
}
process.exit(status);
