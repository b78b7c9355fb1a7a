// libtsmobile in WebAssembly: programs, tensors, values. Structs are read where glue.c asserts that members stand.

const MOST_BYTES = 2 ** 32 - 2 ** 16, VALUE_BYTES = 16, MAX_DIMS = 8, SCRATCH_BYTES = 256;
const TAGS = ['None', 'bool', 'int', 'float', 'device', 'complex', 'str', 'Tensor', 'List', 'Tuple', 'Dict', 'Object', 'Enum', 'Future',
    'Generator'];
const TAG = Object.fromEntries(TAGS.map((name, i) => [name, i]));
const STATUS = ['OK', 'RAISED', 'OUT_OF_MEMORY', 'BAD_FILE', 'UNSUPPORTED', 'BAD_ARGUMENT', 'OUT_OF_FUEL', 'TOO_DEEP', 'INTERNAL'];

// PyTorch's numbers, and what holds the elements; half floats and 8-bit floats are their bits. Complex ones are pairs.
const DTYPES = {
    uint8: [0, Uint8Array], int8: [1, Int8Array], int16: [2, Int16Array], int32: [3, Int32Array], int64: [4, BigInt64Array],
    float16: [5, Uint16Array], float32: [6, Float32Array], float64: [7, Float64Array], complex32: [8, Uint16Array, 2],
    complex64: [9, Float32Array, 2], complex128: [10, Float64Array, 2], bool: [11, Uint8Array], qint8: [12, Int8Array],
    quint8: [13, Uint8Array], qint32: [14, Int32Array], bfloat16: [15, Uint16Array], float8_e5m2: [23, Uint8Array],
    float8_e4m3fn: [24, Uint8Array], float8_e5m2fnuz: [25, Uint8Array], float8_e4m3fnuz: [26, Uint8Array],
    uint16: [27, Uint16Array], uint32: [28, Uint32Array], uint64: [29, BigUint64Array],
};
const DTYPE_NAMES = Object.fromEntries(Object.entries(DTYPES).map(([name, [number]]) => [number, name]));
const DTYPE_OF_ARRAY = new Map(['uint8', 'int8', 'int16', 'int32', 'int64', 'float32', 'float64', 'uint16', 'uint32', 'uint64']
    .map(name => [DTYPES[name][1], name]).concat([[Uint8ClampedArray, 'uint8']]));

/** A failure of libtsmobile or of the program: `status` is "RAISED", "BAD_FILE", ...; the text has the model's traceback. */
export class TsmError extends Error {
    constructor(status, message) {
        super(message);
        this.name = 'TsmError';
        this.status = status;
    }
}

const BROKEN = 'the program ended in a fault of WebAssembly; close it and open it again';

const wrong = message => new TsmError('BAD_ARGUMENT', message);

/** Elements in row-major order (a typed array), their type and the sizes. */
export class Tensor {
    constructor(data, shape, dtype) {
        this.set(data, shape, dtype);
    }

    /** Members may be assigned to, so they are looked at again where a program takes them. */
    set(data, shape, dtype) {
        if (!ArrayBuffer.isView(data))
            throw wrong('a tensor is made of a typed array');
        this.dtype = dtype ?? DTYPE_OF_ARRAY.get(data.constructor);
        const known = Object.hasOwn(DTYPES, this.dtype ?? '') ? DTYPES[this.dtype] : null;
        if (!known)
            throw wrong(`there is no dtype ${this.dtype}`);
        this.shape = [...(shape ?? [data.length])];
        if (this.shape.length > MAX_DIMS || !this.shape.every(n => Number.isInteger(n) && n >= 0 && n < 2 ** 31))
            throw wrong(`[${this.shape}] are no sizes of a tensor`);
        const count = this.shape.reduce((n, size) => n * size, 1);
        const fits = data instanceof known[1] || (known[1] === Uint8Array && data instanceof Uint8ClampedArray);
        if (!fits || data.length !== count * (known[2] ?? 1))
            throw wrong(`${data.constructor.name} of ${data.length} does not hold ${this.dtype}[${this.shape.join(', ')}]`);
        this.data = data;
        return this;
    }
}

/** "Dict[str, List[int]]" as {name, parts}. */
function parseType(text) {
    let at = 0;
    const parse = () => {
        const begin = at;
        while (at < text.length && !'[],'.includes(text[at]))
            at++;
        const type = { name: text.slice(begin, at).trim(), parts: [] };
        if (text[at] === '[') {
            do {
                at++;
                type.parts.push(parse());
            } while (text[at] === ',');
            at++;
        }
        return type;
    };
    return parse();
}

const ANY = { name: 'Any', parts: [] };

export class Runtime {
    constructor(module) {
        this.programs = new Map();
        this.next = 1;
        const print = (id, text, n, isWarning) => this.programs.get(id)?.say(this.text(text, n), isWarning !== 0);
        const instance = new WebAssembly.Instance(module, { tsmobile: { print, now: () => performance.now() } });
        this.c = instance.exports;
        this.scratch = this.c.malloc(SCRATCH_BYTES);
    }

    /** The version of libtsmobile. */
    get version() {
        const n = this.c.tsm_version();
        return `${Math.floor(n / 10000)}.${Math.floor(n / 100) % 100}.${n % 100}`;
    }

    /** Verifies a .tsm (bytes, which are copied) and makes an instance of it. */
    open(bytes, options = {}) {
        return new Program(this, bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes, options);
    }

    // ---- Memory ----

    get view() {
        return new DataView(this.c.memory.buffer);
    }

    u32(at) {
        return this.view.getUint32(at, true);
    }

    i32(at) {
        return this.view.getInt32(at, true);
    }

    bytes(at, n) {
        return new Uint8Array(this.c.memory.buffer, at, n);
    }

    text(at, n) {
        if (!at)
            return '';
        const all = new Uint8Array(this.c.memory.buffer);
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.slice(at, n === undefined ? all.indexOf(0, at) : at + n));
    }

    malloc(n) {
        const at = this.c.malloc(n || 1);
        if (!at)
            throw new TsmError('OUT_OF_MEMORY', `WebAssembly has no memory for ${n} bytes`);
        return at;
    }

    /** Gives f memory for so many bytes that is there as long as f runs. */
    with(n, f) {
        const at = this.malloc(n);
        try {
            return f(at);
        } finally {
            this.c.free(at);
        }
    }

    withBytes(bytes, f) {
        return this.with(bytes.length, at => {
            this.bytes(at, bytes.length).set(bytes);
            return f(at, bytes.length);
        });
    }

    withText(text, f) {
        if (text.includes('\0'))
            throw wrong(`a name has a zero character: ${JSON.stringify(text)}`);
        return this.withBytes(new TextEncoder().encode(text + '\0'), f);
    }
}

/** An opened program with one instance, whose state lasts from call to call. */
export class Program {
    constructor(runtime, file, { buffer, fuel = 0, profile = false, checksums = true, print } = {}) {
        if (!(file instanceof Uint8Array))
            throw wrong('a program is opened from a Uint8Array or an ArrayBuffer');
        if (buffer !== undefined && !(Number.isInteger(buffer) && buffer >= 0 && buffer <= MOST_BYTES))
            throw wrong(`a buffer cannot have ${buffer} bytes`);
        if (!(Number.isSafeInteger(fuel) && fuel >= 0))
            throw wrong(`${fuel} is no number of instructions`);
        this.r = runtime;
        this.c = runtime.c;
        this.id = runtime.next++;
        this.isCounting = Boolean(profile);
        this.onPrint = print ?? ((text, isWarning) => isWarning ? console.warn(text) : console.log(text.replace(/\n$/, '')));
        this.file = this.c.aligned_alloc(64, Math.ceil(file.length / 64) * 64 || 64);
        this.p = this.file && this.c.js_new(this.id);
        if (!this.p) {
            this.c.free(this.file);
            throw new TsmError('OUT_OF_MEMORY', `WebAssembly has no memory for a file of ${file.length} bytes`);
        }
        runtime.bytes(this.file, file.length).set(file);
        runtime.programs.set(this.id, this);
        try {
            this.check(this.c.js_open(this.p, this.file, file.length, checksums ? 1 : 0));
            this.methods = this.readMethods();
            const need = Math.max(0, ...this.methods.map(m => m.bufferBytes));
            this.bufferBytes = buffer ?? Math.max(2 * need, 1 << 26);
            this.check(this.c.js_start(this.p, this.bufferBytes, fuel, profile ? 1 : 0));
        } catch (e) {
            this.close();
            throw e;
        }
        this.instance = this.c.js_instance(this.p);
    }

    /** Gives all memory back; the program cannot be used any more. */
    close() {
        if (!this.p)
            return;
        if (this.isRunning)
            throw wrong('the program is running; it can be closed when it is not');
        this.r.programs.delete(this.id);
        this.c.js_delete(this.p);
        this.c.free(this.file);
        this.p = this.file = this.instance = 0;
    }

    [Symbol.dispose ?? Symbol.for('dispose')]() {
        this.close();
    }

    /** What f does in WebAssembly. What a print function threw is thrown when the call is over: WebAssembly's frames may
     * not be left in their midst. */
    enter(f) {
        const stack = this.c.__stack_pointer.value;
        this.thrown = null;
        let status;
        try {
            status = f();
        } catch (e) { // the engine's stack is used up, or a fault of libtsmobile
            this.c.__stack_pointer.value = stack;
            this.isBroken = true;
            throw new TsmError('INTERNAL', `${BROKEN} (${e.message})`);
        }
        const thrown = this.thrown;
        this.thrown = null;
        if (thrown)
            throw thrown.error;
        this.check(status);
    }

    /** A text of the program. */
    say(text, isWarning) {
        if (this.thrown)
            return;
        try {
            this.onPrint(text, isWarning);
        } catch (error) {
            this.thrown = { error };
        }
    }

    check(status) {
        if (status !== 0)
            throw new TsmError(STATUS[status] ?? 'INTERNAL', this.r.text(this.c.js_message(this.p)) || this.r.text(this.c.tsm_status_text(status)));
    }

    begin() {
        if (!this.p)
            throw wrong('the program is closed');
        if (this.isRunning)
            throw wrong('the program is running: one instance does one call at a time');
        if (this.isBroken)
            throw new TsmError('INTERNAL', BROKEN);
    }

    // ---- What the file says of itself ----

    readInfo(at) {
        const r = this.r, rank = r.i32(at + 12), dtype = r.i32(at + 8), sizes = r.u32(at + 16);
        return {
            name: r.text(r.u32(at)), type: r.text(r.u32(at + 4)), dtype: dtype < 0 ? null : DTYPE_NAMES[dtype],
            shape: rank < 0 ? null : Array.from({ length: rank }, (_, d) => Number(r.view.getBigInt64(sizes + 8 * d, true))),
        };
    }

    readMethods() {
        const { c, r, p } = this, at = r.scratch;
        const values = (count, get) => Array.from({ length: count }, (_, i) => {
            get(i);
            return this.readInfo(at);
        });
        return Array.from({ length: c.tsm_method_count(p) }, (_, m) => ({
            name: r.text(c.tsm_method_name(p, m)), schema: r.text(c.tsm_method_schema(p, m)), doc: r.text(c.tsm_method_doc(p, m)),
            bufferBytes: c.tsm_method_bytes(p, m),
            inputs: values(c.tsm_method_arguments(p, m), i => c.tsm_method_input(at, p, m, i)),
            outputs: values(c.tsm_method_outputs(p, m), i => c.tsm_method_output(at, p, m, i)),
        }));
    }

    get producer() {
        this.begin();
        return this.r.text(this.c.tsm_producer(this.p));
    }

    get metadata() {
        this.begin();
        const found = {}, at = this.r.scratch;
        for (let i = 0; i < this.c.tsm_metadata_count(this.p); i++) {
            const key = this.r.text(this.c.tsm_metadata_get(this.p, i, at));
            found[key] = this.r.text(this.r.u32(at));
        }
        return found;
    }

    // ---- Values into the program ----

    number(at, tag, value) {
        const view = this.r.view;
        view.setUint32(at, tag, true);
        view.setUint32(at + 4, 0, true);
        if (tag === TAG.float)
            view.setFloat64(at + 8, value, true);
        else
            view.setBigInt64(at + 8, BigInt(value), true);
    }

    toTensor(at, t) {
        const { c, r } = this;
        t.set(t.data, t.shape, t.dtype);
        r.with(4 * MAX_DIMS, sizes => {
            t.shape.forEach((n, d) => r.view.setInt32(sizes + 4 * d, n, true));
            this.check(c.tsm_tensor_new(this.instance, at, DTYPES[t.dtype][0], t.shape.length, sizes));
        });
        if (t.data.byteLength) {
            c.tsm_tensor_get(at, r.scratch);
            r.bytes(r.u32(r.scratch + 16), t.data.byteLength).set(new Uint8Array(t.data.buffer, t.data.byteOffset, t.data.byteLength));
        }
        if (t.quantizer)
            this.toQuantizer(at, t.quantizer);
    }

    toQuantizer(at, { axis = -1, scales, zeroPoints }) {
        const n = scales.length;
        if (zeroPoints.length !== n)
            throw wrong(`${n} scales do not go with ${zeroPoints.length} zero points`);
        this.r.with(16 * n || 16, memory => {
            for (let i = 0; i < n; i++) {
                this.r.view.setFloat64(memory + 8 * i, scales[i], true);
                this.r.view.setBigInt64(memory + 8 * (n + i), BigInt(zeroPoints[i]), true);
            }
            this.check(this.c.tsm_tensor_set_quantizer(this.instance, at, axis, n, memory, memory + 8 * n));
        });
    }

    release(at) {
        if (!this.isBroken)
            this.c.tsm_release(this.instance, at);
    }

    /** Converts items one after the other, gives f their memory, and gives their counts back. */
    withValues(list, types, f) {
        const items = Array.from(list); // also what holes have
        let made = 0;
        return this.r.with(VALUE_BYTES * items.length, memory => {
            try {
                items.forEach((item, i) => {
                    this.toValue(memory + VALUE_BYTES * i, item, types[Math.min(i, types.length - 1)] ?? ANY);
                    made++;
                });
                return f(memory, items.length);
            } finally {
                for (let i = 0; i < made; i++)
                    this.release(memory + VALUE_BYTES * i);
            }
        });
    }

    toDict(at, map, [key, item] = []) {
        this.check(this.c.tsm_dict_new(this.instance, at));
        try {
            for (const pair of map instanceof Map ? map : Object.entries(map))
                this.withValues(pair, [key ?? ANY, item ?? ANY],
                    memory => this.check(this.c.tsm_dict_set(this.instance, at, memory, memory + VALUE_BYTES)));
        } catch (e) {
            this.c.tsm_release(this.instance, at);
            throw e;
        }
    }

    toNumber(at, x, type) {
        const isFloat = type.name === 'float' || (type.name !== 'int' && typeof x === 'number' && !Number.isSafeInteger(x));
        if (typeof x === 'number' && !isFloat && !Number.isSafeInteger(x))
            throw wrong(`${x} is no int`);
        if (typeof x === 'bigint' && BigInt.asIntN(64, x) !== x)
            throw wrong(`${x} does not fit into 64 bits`);
        if (type.name === 'complex')
            this.check(this.c.tsm_complex_new(this.instance, at, Number(x), 0));
        else
            this.number(at, isFloat ? TAG.float : TAG.int, isFloat ? Number(x) : x);
    }

    toText(at, x) {
        if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(x))
            throw wrong('a string has half of a surrogate pair, which UTF-8 cannot hold');
        this.r.withBytes(new TextEncoder().encode(x), (text, n) => this.check(this.c.tsm_str_new(this.instance, at, text, n)));
    }

    /** Plain objects: {re, im} where a complex number is declared, {class, name} of an enum, else a dict. */
    toObject(at, x, type) {
        const { c, r } = this;
        if (type.name === 'complex' && typeof x.re === 'number' && typeof x.im === 'number')
            this.check(c.tsm_complex_new(this.instance, at, x.re, x.im));
        else if (type.name !== 'Dict' && typeof x.class === 'string' && typeof x.name === 'string')
            r.withText(x.class, kind => r.withText(x.name, name => this.check(c.tsm_enum_find(this.instance, at, kind, name))));
        else
            this.toDict(at, x, type.parts);
    }

    /** Writes a value of the type (a number is an int, a float or complex as the type says) to `at`; it has a count. */
    toValue(at, x, type) {
        const { c } = this;
        while (type.name === 'Optional' && x !== null && x !== undefined)
            type = type.parts[0];
        if (x === null || x === undefined)
            this.number(at, TAG.None, 0);
        else if (typeof x === 'boolean')
            this.number(at, TAG.bool, x);
        else if (typeof x === 'number' || typeof x === 'bigint')
            this.toNumber(at, x, type);
        else if (typeof x === 'string' && type.name === 'Device')
            this.r.withText(x, text => this.check(c.tsm_device_parse(this.instance, at, text)));
        else if (typeof x === 'string')
            this.toText(at, x);
        else if (x instanceof Tensor)
            this.toTensor(at, x);
        else if (ArrayBuffer.isView(x))
            this.toTensor(at, new Tensor(x));
        else if (Array.isArray(x)) {
            const isTuple = type.name === 'Tuple', make = isTuple ? c.tsm_tuple_new : c.tsm_list_new;
            this.withValues(x, type.parts.length ? type.parts : [ANY], (items, n) => this.check(make(this.instance, at, items, n)));
        } else if (x instanceof Map)
            this.toDict(at, x, type.parts);
        else if (typeof x === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(x)))
            this.toObject(at, x, type);
        else
            throw wrong(`${typeof x} (${x?.constructor?.name}) is no value of a program`);
    }

    // ---- Values out of the program ----

    fromTensor(at) {
        const { c, r } = this, view = r.malloc(40);
        try {
            if (!c.tsm_tensor_get(at, view))
                return null;
            const dtype = DTYPE_NAMES[r.i32(view)], dims = r.i32(view + 4);
            const shape = Array.from({ length: dims }, (_, d) => r.i32(r.u32(view + 8) + 4 * d));
            const strides = Array.from({ length: dims }, (_, d) => r.i32(r.u32(view + 12) + 4 * d));
            const data = this.elements(r.u32(view + 16), dtype, shape, strides);
            const t = new Tensor(data, shape, dtype), axis = r.i32(view + 20);
            if (axis >= -1) {
                const n = r.u32(view + 24), at = r.u32(view + 28), zeros = r.u32(view + 32), floats = r.u32(view + 36);
                t.quantizer = {
                    axis, scales: Array.from({ length: n }, (_, i) => r.view.getFloat64(at + 8 * i, true)),
                    zeroPoints: Array.from({ length: n }, (_, i) => floats ? r.view.getFloat64(floats + 8 * i, true)
                        : Number(r.view.getBigInt64(zeros + 8 * i, true))),
                };
            }
            return t;
        } finally {
            c.free(view);
        }
    }

    /** A copy of elements in row-major order. */
    elements(at, dtype, shape, strides) {
        const [, Kind, parts = 1] = DTYPES[dtype], unit = Kind.BYTES_PER_ELEMENT * parts;
        const count = shape.reduce((n, size) => n * size, 1), out = new Kind(count * parts);
        const to = new Uint8Array(out.buffer), from = new Uint8Array(this.c.memory.buffer);
        let expected = 1, isPacked = true;
        for (let d = shape.length - 1; d >= 0; expected *= shape[d--])
            isPacked &&= shape[d] === 1 || strides[d] === expected;
        if (count && isPacked)
            to.set(from.subarray(at, at + to.length));
        else if (count) {
            const index = shape.map(() => 0);
            for (let i = 0, offset = 0; i < count; i++) {
                to.set(from.subarray(at + offset * unit, at + (offset + 1) * unit), i * unit);
                for (let d = shape.length - 1; d >= 0; d--) {
                    offset += strides[d];
                    if (++index[d] < shape[d])
                        break;
                    offset -= strides[d] * shape[d];
                    index[d] = 0;
                }
            }
        }
        return out;
    }

    fromInt(at) {
        const n = this.r.view.getBigInt64(at + 8, true);
        return n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER ? Number(n) : n;
    }

    fromAttributes(at, depth) {
        const { c, r } = this, found = {};
        for (let i = 0, n = c.tsm_object_size(at); i < n; i++)
            r.with(VALUE_BYTES, item => {
                const name = r.text(c.tsm_object_attribute(this.instance, at, i, item));
                Object.defineProperty(found, name, { value: this.fromValue(item, depth), enumerable: true });
            });
        return { class: r.text(c.tsm_class_name(this.instance, at)), attributes: found };
    }

    fromDict(at, depth) {
        const found = new Map();
        for (let i = 0, n = this.c.tsm_dict_size(at); i < n; i++)
            this.r.with(2 * VALUE_BYTES, pair => {
                this.c.tsm_dict_get(at, i, pair, pair + VALUE_BYTES);
                found.set(this.fromValue(pair, depth), this.fromValue(pair + VALUE_BYTES, depth));
            });
        return found;
    }

    fromValue(at, depth = 64) {
        const { c, r } = this, tag = TAGS[r.u32(at)];
        if (depth === 0)
            throw new TsmError('UNSUPPORTED', 'values are nested too deep, or contain themselves');
        switch (tag) {
        case 'None':
            return null;
        case 'bool':
            return r.bytes(at + 8, 1)[0] !== 0;
        case 'int':
            return this.fromInt(at);
        case 'float':
            return r.view.getFloat64(at + 8, true);
        case 'complex':
            c.tsm_complex_get(at, r.scratch, r.scratch + 8);
            return { re: r.view.getFloat64(r.scratch, true), im: r.view.getFloat64(r.scratch + 8, true) };
        case 'device':
            c.tsm_device_text(at, r.scratch, 24);
            return r.text(r.scratch);
        case 'str': {
            const text = c.tsm_str_get(at, r.scratch);
            return r.text(text, r.u32(r.scratch));
        }
        case 'Tensor':
            return this.fromTensor(at);
        case 'List':
        case 'Tuple':
            return Array.from({ length: c.tsm_sequence_size(at) }, (_, i) => r.with(VALUE_BYTES, item => {
                c.tsm_sequence_get(item, at, i);
                return this.fromValue(item, depth - 1);
            }));
        case 'Dict':
            return this.fromDict(at, depth - 1);
        case 'Object':
            return this.fromAttributes(at, depth - 1);
        case 'Enum':
            return { class: r.text(c.tsm_class_name(this.instance, at)), name: r.text(c.tsm_enum_get(this.instance, at, r.scratch)) };
        default:
            throw new TsmError('UNSUPPORTED', `a ${tag ?? 'value of this kind'} has no form in JavaScript`);
        }
    }

    // ---- Calls ----

    /** Calls a method; arguments that are left out have their defaults. */
    call(name, ...args) {
        return this.callWith(this.c.tsm_call, name, args);
    }

    /** The same, all or nothing: where the call fails, attributes are as they were before it. */
    callOrRestore(name, ...args) {
        return this.callWith(this.c.tsm_call_or_restore, name, args);
    }

    callWith(call, name, args) {
        this.begin();
        const m = this.methods.findIndex(method => method.name === name);
        if (m < 0)
            throw wrong(`there is no method '${name}'; the file has: ${this.methods.map(x => x.name).join(' ')}`);
        if (args.length > this.methods[m].inputs.length)
            throw wrong(`${name} takes ${this.methods[m].inputs.length} arguments, not ${args.length}`);
        const types = this.methods[m].inputs.map(i => parseType(i.type));
        this.isRunning = true;
        try {
            return this.withValues(args, types, (values, n) => this.r.with(VALUE_BYTES, result => {
                this.number(result, TAG.None, 0);
                try {
                    this.enter(() => call(this.instance, m, values, n, result));
                    return this.fromValue(result);
                } finally {
                    this.release(result);
                }
            }));
        } finally {
            this.isRunning = false;
        }
    }

    /** Calls forward, or the only method. */
    run(...args) {
        const forward = this.methods.find(m => m.name === 'forward') ?? (this.methods.length === 1 ? this.methods[0] : null);
        if (!forward)
            throw wrong(`choose a method: the file has ${this.methods.map(m => m.name).join(' ')}`);
        return this.call(forward.name, ...args);
    }

    // ---- State and measurements ----

    /** Puts all attributes back to what the file holds. */
    reset() {
        this.begin();
        this.check(this.c.tsm_instance_reset(this.instance));
    }

    /** What the program has changed of its attributes, as bytes for load(). */
    save() {
        this.begin();
        const { c, r } = this;
        this.check(c.tsm_instance_save(this.instance, 0, 0, r.scratch));
        const n = r.u32(r.scratch);
        return r.with(n, at => {
            this.check(c.tsm_instance_save(this.instance, at, n, r.scratch));
            return r.bytes(at, n).slice();
        });
    }

    load(state) {
        this.begin();
        if (!(state instanceof Uint8Array))
            throw wrong('a state is a Uint8Array');
        this.r.withBytes(state, (at, n) => this.check(this.c.tsm_instance_load(this.instance, at, n)));
    }

    /** Bytes of the buffer, and instructions of the last call. */
    usage() {
        this.begin();
        const { r } = this, at = r.scratch;
        this.c.tsm_instance_usage(at, this.instance);
        return { bufferBytes: r.u32(at), fixedBytes: r.u32(at + 4), usedBytes: r.u32(at + 8), highWaterBytes: r.u32(at + 12), instructions: Number(r.view.getBigUint64(at + 16, true)), work: Number(r.view.getBigUint64(at + 24, true)) };
    }

    /** With the option `profile`: operators with their calls, milliseconds and bytes, the slowest first. */
    profile() {
        this.begin();
        if (!this.isCounting)
            throw wrong('the program does not count: open it with profile: true');
        const { r } = this, at = r.scratch, rows = [];
        for (let i = 0; this.c.tsm_profile_get(this.instance, i, at); i++)
            rows.push({ name: r.text(r.u32(at)), calls: Number(r.view.getBigUint64(at + 8, true)), ms: Number(r.view.getBigUint64(at + 16, true)) / 1e6, bytes: Number(r.view.getBigUint64(at + 24, true)) });
        return rows.filter(row => row.calls).sort((a, b) => b.ms - a.ms);
    }
}
