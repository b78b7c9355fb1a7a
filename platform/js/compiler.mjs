// tsmc in WebAssembly: each run is a program of its own, with files in memory.
import { Wasi } from './wasi.mjs';

const bytesOf = file => typeof file === 'string' ? new TextEncoder().encode(file) : file instanceof ArrayBuffer ? new Uint8Array(file) : file;

/** What tsmc says when it refuses something; `status` is its exit status. */
export class CompileError extends Error {
    constructor(message, status) {
        super(message);
        this.name = 'CompileError';
        this.status = status;
    }
}

export class Compiler {
    constructor(module) {
        this.module = module;
    }

    /** tsmc with these arguments. `files`: what it may read, by name: bytes, or texts. Never throws for what tsmc refuses. */
    run(args, files = {}) {
        const given = Object.entries(files).map(([name, file]) => [name, bytesOf(file)]), wrong = given.find(([, file]) => !(file instanceof Uint8Array));
        if (wrong)
            throw new TypeError(`the file ${wrong[0]} is no Uint8Array, ArrayBuffer or string`);
        const wasi = new Wasi(['tsmc', ...args.map(String)], Object.fromEntries(given));
        let status, fault = '';
        try {
            status = wasi.start(this.module);
        } catch (e) { // a trap: memory is used up, or the engine's stack
            status = 3;
            fault = `tsmc: ${e instanceof RangeError ? 'the program nests too deep for this engine' : e.message}\n`;
        }
        return { status, stdout: wasi.text(1), stderr: wasi.text(2) + fault, files: wasi.written() };
    }

    /** The .tsm of a program, as bytes. `name`: "model.pt", "net.py:Net(10)"; `files` has it, and what `args` name. */
    compile(name, files, args = []) {
        const done = this.run([name, '-o', 'out.tsm', ...args], files);
        if (done.status !== 0)
            throw new CompileError(done.stderr.trim() || done.stdout.trim(), done.status);
        return done.files['out.tsm'];
    }
}
