// As much of WASI (preview 1) as tsmc asks for: arguments, a clock, and files in memory.

const SUCCESS = 0, BADF = 8, EXIST = 20, INVAL = 28, NOENT = 44, NOSYS = 52;
const CHARACTER_DEVICE = 2, DIRECTORY = 3, REGULAR_FILE = 4;
const CREATE = 1, EXCLUSIVE = 4, TRUNCATE = 8;
const ROOT = 3; // the descriptor of the only folder

/** What ends a program: its exit status. */
export class Exit {
    constructor(status) {
        this.status = status;
    }
}

class MemoryFile {
    constructor(bytes) {
        this.bytes = bytes;
        this.size = bytes.length;
    }

    read(at, n) {
        return this.bytes.subarray(at, Math.max(at, Math.min(at + n, this.size)));
    }

    write(at, piece) {
        const end = at + piece.length;
        if (end > this.bytes.length || this.isGiven) {
            const more = new Uint8Array(Math.max(end, 2 * this.size, 4096));
            more.set(this.bytes.subarray(0, this.size));
            this.bytes = more;
            this.isGiven = false;
        }
        this.bytes.set(piece, at);
        this.size = Math.max(this.size, end);
    }
}

const normal = path => path.split('/').filter(part => part && part !== '.').join('/');

/** A program's world. `files`: an object of names and bytes (Uint8Array), which stay as they are. */
export class Wasi {
    constructor(args, files) {
        this.args = args.map(a => new TextEncoder().encode(a + '\0'));
        this.files = new Map();
        for (const [name, bytes] of Object.entries(files)) {
            const file = new MemoryFile(bytes);
            file.isGiven = true;
            this.files.set(normal(name), file);
        }
        this.given = new Map([...this.files].map(([name, file]) => [name, file.bytes]));
        this.open = new Map([[0, { file: new MemoryFile(new Uint8Array(0)), at: 0 }], [1, { text: [] }], [2, { text: [] }]]);
        const self = this;
        this.imports = new Proxy({}, {
            get: (_, name) => self[name] ? (...rest) => self[name](...rest) : () => NOSYS,
        });
    }

    start(module) {
        this.instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.imports });
        try {
            this.instance.exports._start();
            return 0;
        } catch (e) {
            if (e instanceof Exit)
                return e.status;
            throw e;
        }
    }

    /** What the program wrote to descriptor 1 or 2. */
    text(descriptor) {
        const pieces = this.open.get(descriptor).text, decoder = new TextDecoder();
        return pieces.map(p => decoder.decode(p, { stream: true })).join('') + decoder.decode();
    }

    /** The files that are new or were written to. */
    written() {
        const found = {};
        for (const [name, file] of this.files)
            if (this.given.get(name) !== file.bytes)
                found[name] = file.bytes.slice(0, file.size);
        return found;
    }

    get view() {
        return new DataView(this.instance.exports.memory.buffer);
    }

    bytes(at, n) {
        return new Uint8Array(this.instance.exports.memory.buffer, at, n);
    }

    path(at, n) {
        return normal(new TextDecoder().decode(this.bytes(at, n).slice()));
    }

    strings(list, pointers, text) {
        const view = this.view;
        for (const s of list) {
            view.setUint32(pointers, text, true);
            this.bytes(text, s.length).set(s);
            pointers += 4;
            text += s.length;
        }
        return SUCCESS;
    }

    numbers(at, ...values) {
        values.forEach((v, i) => this.view.setUint32(at[i], v, true));
        return SUCCESS;
    }

    // ---- The functions of WASI that are called ----

    args_sizes_get(count, bytes) {
        return this.numbers([count, bytes], this.args.length, this.args.reduce((n, a) => n + a.length, 0));
    }

    args_get(pointers, text) {
        return this.strings(this.args, pointers, text);
    }

    environ_sizes_get(count, bytes) {
        return this.numbers([count, bytes], 0, 0);
    }

    environ_get() {
        return SUCCESS;
    }

    clock_time_get(id, precision, at) {
        this.view.setBigUint64(at, BigInt(Math.round((id ? performance.now() : Date.now()) * 1e6)), true);
        return SUCCESS;
    }

    random_get(at, n) {
        for (let i = 0; i < n; i += 65536)
            crypto.getRandomValues(this.bytes(at + i, Math.min(65536, n - i)));
        return SUCCESS;
    }

    proc_exit(status) {
        throw new Exit(status);
    }

    fd_prestat_get(fd, at) {
        if (fd !== ROOT)
            return BADF;
        return this.numbers([at, at + 4], 0, 1);
    }

    fd_prestat_dir_name(fd, at) {
        this.bytes(at, 1)[0] = '.'.charCodeAt(0);
        return fd === ROOT ? SUCCESS : BADF;
    }

    fd_fdstat_get(fd, at) {
        if (fd !== ROOT && !this.open.has(fd))
            return BADF;
        this.bytes(at, 24).fill(0);
        this.bytes(at, 1)[0] = fd === ROOT ? DIRECTORY : fd < ROOT ? CHARACTER_DEVICE : REGULAR_FILE;
        this.view.setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
        this.view.setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
        return SUCCESS;
    }

    fd_fdstat_set_flags() {
        return SUCCESS;
    }

    filestat(at, type, size) {
        this.bytes(at, 64).fill(0);
        this.bytes(at + 16, 1)[0] = type;
        this.view.setBigUint64(at + 24, 1n, true);
        this.view.setBigUint64(at + 32, BigInt(size), true);
        return SUCCESS;
    }

    fd_filestat_get(fd, at) {
        const open = this.open.get(fd);
        if (!open)
            return fd === ROOT ? this.filestat(at, DIRECTORY, 0) : BADF;
        return this.filestat(at, open.file ? REGULAR_FILE : CHARACTER_DEVICE, open.file ? open.file.size : 0);
    }

    path_filestat_get(fd, flags, at, n, out) {
        const path = this.path(at, n), file = this.files.get(path);
        if (!path || [...this.files.keys()].some(name => name.startsWith(path + '/')))
            return this.filestat(out, DIRECTORY, 0);
        return file ? this.filestat(out, REGULAR_FILE, file.size) : NOENT;
    }

    path_open(fd, lookup, at, n, flags, rights, inheriting, fdflags, out) {
        const path = this.path(at, n);
        let file = this.files.get(path);
        if (!file && !(flags & CREATE))
            return NOENT;
        if (file && flags & CREATE && flags & EXCLUSIVE)
            return EXIST;
        if (!path)
            return INVAL;
        if (!file || flags & TRUNCATE)
            this.files.set(path, file = new MemoryFile(new Uint8Array(0)));
        let number = ROOT + 1;
        while (this.open.has(number))
            number++;
        this.open.set(number, { file, at: 0 });
        return this.numbers([out], number);
    }

    path_rename(fd, from, n, to_fd, to, m) {
        const path = this.path(from, n), file = this.files.get(path);
        if (!file)
            return NOENT;
        this.files.delete(path);
        this.files.set(this.path(to, m), file);
        return SUCCESS;
    }

    path_unlink_file(fd, at, n) {
        return this.files.delete(this.path(at, n)) ? SUCCESS : NOENT;
    }

    fd_close(fd) {
        return this.open.delete(fd) ? SUCCESS : BADF;
    }

    fd_seek(fd, offset, whence, out) {
        const open = this.open.get(fd);
        if (!open || !open.file)
            return BADF;
        const to = [0, open.at, open.file.size][whence] + Number(offset);
        if (!(to >= 0))
            return INVAL;
        open.at = to;
        this.view.setBigUint64(out, BigInt(to), true);
        return SUCCESS;
    }

    * pieces(at, count) {
        for (let i = 0; i < count; i++)
            yield this.bytes(this.view.getUint32(at + 8 * i, true), this.view.getUint32(at + 8 * i + 4, true));
    }

    fd_read(fd, at, count, out) {
        const open = this.open.get(fd);
        let n = 0;
        if (!open || !open.file)
            return BADF;
        for (const piece of this.pieces(at, count)) {
            const got = open.file.read(open.at, piece.length);
            piece.set(got);
            open.at += got.length;
            n += got.length;
        }
        return this.numbers([out], n);
    }

    fd_write(fd, at, count, out) {
        const open = this.open.get(fd);
        let n = 0;
        if (!open)
            return BADF;
        for (const piece of this.pieces(at, count)) {
            if (open.text)
                open.text.push(piece.slice());
            else {
                open.file.write(open.at, piece);
                open.at += piece.length;
            }
            n += piece.length;
        }
        return this.numbers([out], n);
    }
}
