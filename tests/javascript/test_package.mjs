// The npm package in node: programs compiled and run, values of every kind in and out, and all that is refused.
//
//     node --test test_package.mjs, with TSM_ROOT (the sources), TSM_PACKAGE (the folder of the package, as npm installs it)
//     and TSMC (the program of this machine) in the environment
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const { TSM_ROOT, TSM_PACKAGE, TSMC } = process.env;
const { CompileError, loadCompiler, loadRuntime, Tensor, TsmError } = await import(pathToFileURL(join(TSM_PACKAGE, 'node.mjs')));
const compiler = await loadCompiler(), runtime = await loadRuntime();
const folder = mkdtempSync(join(tmpdir(), 'tsmobile-'));
after(() => rmSync(folder, { recursive: true }));
const text = s => new TextEncoder().encode(s);

function compiled(source, name, args = []) {
    return compiler.compile(`f.py:${name}`, { 'f.py': text(source) }, args);
}

const PROGRAMS = `
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple
import torch
from torch import nn, Tensor

class Color(Enum):
    RED = 1
    GREEN = 2

class Values(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0
    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        return x.t() * 2
    @torch.jit.export
    def counted(self) -> int:
        return self.count
    @torch.jit.export
    def scalars(self, i: int, f: float, b: bool, s: str, o: Optional[float] = None) -> Tuple[int, float, bool, str, Optional[float]]:
        return i + 1, f / 2, not b, s + '!', o
    @torch.jit.export
    def lists(self, a: List[int], d: Dict[str, List[float]], t: Tuple[int, float]) -> Tuple[List[int], Dict[str, List[float]], float]:
        return a[::-1], {k + 'x': v for k, v in d.items()}, t[0] + t[1]
    @torch.jit.export
    def number(self, x: Tensor, k: float) -> Tensor:
        return x * k
    @torch.jit.export
    def kinds(self, n: int) -> List[Tensor]:
        return [torch.arange(n), torch.arange(n) > 0, torch.ones(n).half(), torch.complex(torch.ones(n), torch.zeros(n)), torch.zeros(n, 0),
                torch.quantize_per_tensor(torch.ones(n), 0.5, 3, torch.quint8)]
    @torch.jit.export
    def raises(self, n: int) -> int:
        if n > 1:
            raise ValueError('n is ' + str(n))
        print('fine', n)
        return n
    @torch.jit.export
    def endless(self) -> int:
        n = 0
        while n >= 0:
            n += 1
            n -= 1
        return n
    @torch.jit.export
    def echo(self, x: Tensor) -> Tensor:
        return x
    @torch.jit.export
    def text(self, s: str) -> str:
        return s
    @torch.jit.export
    def where(self, d: torch.device) -> torch.device:
        return d
    @torch.jit.export
    def color(self, c: Color, z: complex, n: Optional[complex] = None) -> Tuple[Color, complex, Optional[complex]]:
        return c, z * 2, n
    @torch.jit.export
    def anything(self, x: Any) -> str:
        return 'int' if isinstance(x, int) else 'float' if isinstance(x, float) else 'other'
    @torch.jit.export
    def count_and_fail(self, n: int) -> int:
        self.count += n
        print('counted')
        assert n < 5, 'too much'
        return self.count
    @torch.jit.export
    def big(self, n: int) -> Tensor:
        return torch.zeros(n)
    @torch.jit.export
    def summed(self, x: Tensor) -> Tensor:
        return x @ torch.ones(2)
`;
const file = compiled(PROGRAMS, 'Values');
const open = options => runtime.open(file, options);

test('an archive is compiled and runs as on this machine', () => {
    const model = readFileSync(join(TSM_ROOT, 'tests/models/digits.pt')), example = readFileSync(join(TSM_ROOT, 'tests/models/digits_example.json'));
    const tsm = compiler.compile('digits.pt', { 'digits.pt': model, 'example.json': example }, ['--example', 'example.json']);
    const here = join(folder, 'digits.tsm');
    execFileSync(TSMC, [join(TSM_ROOT, 'tests/models/digits.pt'), '--example', join(TSM_ROOT, 'tests/models/digits_example.json'), '-o', here]);
    const image = Float32Array.from(JSON.parse(example)[0].tensor.data), results = [];
    for (const bytes of [tsm, readFileSync(here)]) {
        const program = runtime.open(bytes);
        const y = program.run(new Tensor(image, [1, 1, 8, 8]));
        assert.deepEqual([y.dtype, y.shape], ['float32', [1, 10]]);
        results.push(y.data);
        program.close();
    }
    results[0].forEach((x, i) => assert.ok(Math.abs(x - results[1][i]) < 1e-4));
    assert.equal(tsm.length, readFileSync(here).length);
    // Buffers are measured as with 64-bit addresses, for every target: as the tsmc of this machine does.
    const digits = { 'digits.pt': model, 'example.json': example };
    for (const target of [[], ...['x86-64', 'aarch64', 'wasm32', 'cortex-m4f', 'each'].map(name => ['--target', name])]) {
        const planned = join(folder, 'planned.tsm'), command = ['--example', 'example.json', ...target];
        execFileSync(TSMC, [join(TSM_ROOT, 'tests/models/digits.pt'), '--example', join(TSM_ROOT, 'tests/models/digits_example.json'),
            ...target, '-o', planned]);
        const made = runtime.open(compiler.compile('digits.pt', digits, command)), need = made.methods[0].bufferBytes;
        assert.ok(need > 10000);
        assert.equal(need, runtime.open(readFileSync(planned)).methods[0].bufferBytes);
        made.close();
    }
    const small = compiler.compile('digits.pt', digits, ['--example', 'example.json']), need = runtime.open(small).methods[0].bufferBytes;
    assert.equal(runtime.open(small, { buffer: need + 1024 }).run(new Tensor(image, [1, 1, 8, 8])).data.length, 10); // and the argument
});

test('a source is compiled to the same bytes as on this machine', () => {
    writeFileSync(join(folder, 'f.py'), PROGRAMS);
    execFileSync(TSMC, ['f.py:Values', '-o', 'f.tsm'], { cwd: folder });
    assert.ok(Buffer.from(file).equals(readFileSync(join(folder, 'f.tsm'))));
});

test('tensors', () => {
    const p = open(), y = p.run(new Tensor(Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]));
    assert.deepEqual([...y.data], [2, 8, 4, 10, 6, 12]);
    assert.deepEqual([y.shape, y.dtype], [[3, 2], 'float32']);
    const [ints, bools, halves, complex, empty, quantized] = p.call('kinds', 3);
    assert.deepEqual(ints.data, BigInt64Array.of(0n, 1n, 2n));
    assert.deepEqual([bools.dtype, [...bools.data]], ['bool', [0, 1, 1]]);
    assert.deepEqual([halves.dtype, [...halves.data]], ['float16', [0x3c00, 0x3c00, 0x3c00]]);
    assert.deepEqual([complex.dtype, complex.shape, [...complex.data]], ['complex64', [3], [1, 0, 1, 0, 1, 0]]);
    assert.deepEqual([empty.shape, empty.data.length], [[3, 0], 0]);
    assert.deepEqual([quantized.dtype, [...quantized.data], quantized.quantizer], ['quint8', [5, 5, 5], { axis: -1, scales: [.5], zeroPoints: [3] }]);
    assert.deepEqual([...p.call('number', Float32Array.of(1, 2), 3).data], [3, 6]); // 3 is a float, as the method says
    assert.deepEqual([...p.call('number', new Float64Array([1, 2]).subarray(1), 0.5).data], [1]);
    p.close();
});

test('scalars, lists, dicts, tuples', () => {
    const p = open();
    assert.deepEqual(p.call('scalars', 1, 3, false, 'grün', 2), [2, 1.5, true, 'grün!', 2]);
    assert.deepEqual(p.call('scalars', 2n ** 62n, 1, true, ''), [2n ** 62n + 1n, .5, false, '!', null]);
    assert.deepEqual(p.call('lists', [1, 2, 3], { a: [1, .5], b: [] }, [1, 2]), [[3, 2, 1], new Map([['ax', [1, .5]], ['bx', []]]), 3]);
    assert.deepEqual(p.call('lists', [], new Map(), [1, 2])[1], new Map());
    p.close();
});

test('what the file says of itself', () => {
    const p = open(), scalars = p.methods.find(m => m.name === 'scalars');
    assert.match(p.producer, /^tsmc \d/);
    assert.equal(p.metadata.source, 'f.py');
    assert.deepEqual(scalars.inputs.map(i => [i.name, i.type]), [['i', 'int'], ['f', 'float'], ['b', 'bool'], ['s', 'str'], ['o', 'Optional[float]']]);
    assert.equal(runtime.version, JSON.parse(readFileSync(join(TSM_PACKAGE, 'package.json'))).version);
    p.close();
});

test('state, and calls of two instances', () => {
    const a = open(), b = open(), x = new Tensor(Float32Array.of(1), [1, 1]);
    a.run(x);
    a.run(x);
    assert.deepEqual([a.call('counted'), b.call('counted')], [2, 0]);
    b.load(a.save());
    assert.equal(b.call('counted'), 2);
    a.reset();
    assert.deepEqual([a.call('counted'), b.call('counted')], [0, 2]);
    assert.throws(() => b.load('text'), { status: 'BAD_ARGUMENT' });
    const state = a.save();
    for (let i = 0; i < state.length; i++) {
        const damaged = state.slice();
        damaged[i] ^= 1 << i % 8;
        assert.throws(() => b.load(damaged), e => ['BAD_FILE', 'BAD_ARGUMENT', 'UNSUPPORTED'].includes(e.status), `byte ${i}`);
        assert.throws(() => b.load(state.slice(0, i)), { name: 'TsmError' });
        assert.equal(b.call('counted'), 2);
    }
    assert.throws(() => b.load(Uint8Array.of(1, 2, 3)), { name: 'TsmError', status: 'BAD_FILE' });
    a.close();
    b.close();
});

test('exceptions have the traceback of the model, and the program goes on', () => {
    const printed = [], p = open({ print: (s, isWarning) => printed.push([s, isWarning]) });
    assert.throws(() => p.call('raises', 7), e => e instanceof TsmError && e.status === 'RAISED' && /f\.py", line 3\d/.test(e.message) && e.message.endsWith('n is 7'));
    assert.equal(p.call('raises', 1), 1);
    assert.deepEqual(printed, [['fine 1\n', false]]);
    p.close();
});

test('wrong arguments', () => {
    const p = open();
    for (const [f, status] of [[() => p.call('scalars', 'x', 1, true, 's'), 'BAD_ARGUMENT'], [() => p.call('nothing'), 'BAD_ARGUMENT'],
        [() => p.run(), 'BAD_ARGUMENT'], [() => p.run(1, 2), 'BAD_ARGUMENT'], [() => p.run(() => 1), 'BAD_ARGUMENT'], [() => p.run(new Date()), 'BAD_ARGUMENT'],
        [() => p.call('raises', 1.5), 'BAD_ARGUMENT'], [() => p.call('raises', 2n ** 63n), 'BAD_ARGUMENT'], [() => p.call('raises', NaN), 'BAD_ARGUMENT'],
        [() => new Tensor([1, 2]), 'BAD_ARGUMENT'], [() => new Tensor(Float32Array.of(1), [2]), 'BAD_ARGUMENT'],
        [() => new Tensor(Float32Array.of(1), [1], 'int8'), 'BAD_ARGUMENT'], [() => new Tensor(Float32Array.of(1), [1], 'constructor'), 'BAD_ARGUMENT'],
        [() => new Tensor(Float32Array.of(1), [1, 1, 1, 1, 1, 1, 1, 1, 1]), 'BAD_ARGUMENT'], [() => new Tensor(new Float32Array(0), [-1, 0]), 'BAD_ARGUMENT']])
        assert.throws(f, { name: 'TsmError', status }, String(f));
    const before = p.usage().usedBytes;
    for (let i = 0; i < 100; i++)
        assert.throws(() => p.call('lists', [1, 'x'], { a: [1] }, [1, 2]));
    assert.equal(p.usage().usedBytes, before); // nothing is lost
    assert.equal(p.call('raises', 1), 1);
    p.close();
});

test('a wrong dtype', () => {
    const p = open(), x = new Tensor(Float32Array.of(1, 2), [1, 2]);
    for (const data of [Int32Array.of(1, 2), Float64Array.of(1, 2)])
        assert.throws(() => p.call('summed', new Tensor(data, [1, 2])), { status: 'RAISED', message: /f\.py", line \d+[^]*but found Float/ });
    assert.throws(() => p.call('summed', new Tensor(x.data, [1, 2], 'int32')), { status: 'BAD_ARGUMENT', message: /does not hold int32/ });
    assert.throws(() => p.call('lists', x, {}, [1, 2]), { status: 'BAD_ARGUMENT', message: /Expected a value of type 'List\[int\]'/ });
    assert.deepEqual([...p.call('summed', x).data], [3]);
    p.close();
});

test('odd values', () => {
    const p = open({ print: () => {} });
    for (const s of ['', '\0', 'a\0b', '\ufeffmark', '\u{1f600}', 'x'.repeat(100000)])
        assert.equal(p.call('text', s), s);
    for (const s of ['\ud83d', 'a\ude00b', '\ude00\ud83d'])
        assert.throws(() => p.call('text', s), { status: 'BAD_ARGUMENT', message: /surrogate/ });
    assert.throws(() => p.call('where', 'cpu\0:1'), { status: 'BAD_ARGUMENT' });
    assert.deepEqual(p.call('color', { class: 'Color', name: 'GREEN' }, { re: 1, im: -2 }, null),
        [{ class: '__torch__.f.Color', name: 'GREEN' }, { re: 2, im: -4 }, null]);
    assert.deepEqual(p.call('color', p.call('color', { class: 'Color', name: 'RED' }, { re: 0, im: 0 })[0], { re: 0, im: 1 }, { re: .5, im: 0 })[2], { re: .5, im: 0 });
    assert.deepEqual(p.call('color', { class: 'Color', name: 'RED' }, 1.5, 2n).slice(1), [{ re: 3, im: 0 }, { re: 2, im: 0 }]);
    assert.throws(() => p.call('color', { class: 'Color', name: 'BLUE' }, { re: 0, im: 0 }), { status: 'BAD_ARGUMENT', message: /no enum member/ });
    // Ints beyond 2^53 come and go as BigInt; numbers that are none are refused.
    for (const n of [2n ** 53n, -(2n ** 63n), 2n ** 63n - 2n])
        assert.equal(p.call('scalars', n, 1, true, '')[0], n + 1n);
    assert.equal(p.call('scalars', Number.MAX_SAFE_INTEGER, 1, true, '')[0], 2n ** 53n);
    assert.throws(() => p.call('scalars', 2 ** 53, 1, true, ''), { status: 'BAD_ARGUMENT', message: /is no int/ });
    assert.deepEqual([1, 1.5, 1e300, 2n, Infinity].map(x => p.call('anything', x)), ['int', 'float', 'float', 'int', 'float']);
    assert.deepEqual([1e300, -0, NaN, 2n ** 60n].map(x => p.call('scalars', 0, x, true, '')[1]), [5e299, -0, NaN, 2 ** 59]);
    // A list with holes, one that changes while it is looked at, one inside of itself.
    assert.throws(() => p.call('lists', [1, , 2], {}, [1, 2]), { status: 'BAD_ARGUMENT', message: /List\[int\]/ });
    const growing = new Proxy([1, 2], { get: (list, key) => { if (key === '1') list.push(3); return list[key]; } });
    assert.deepEqual(p.call('lists', growing, {}, [1, 2])[0].length, 3);
    const closing = Object.defineProperty([1, 2], 0, { get: () => { p.close(); return 1; } });
    assert.throws(() => p.call('lists', closing, {}, [1, 2]), { message: /can be closed when it is not/ });
    const ring = [];
    ring.push(ring);
    assert.throws(() => p.call('lists', ring, {}, [1, 2]), RangeError);
    assert.throws(() => p.call('lists', Object.create({ a: 1 }), {}, [1, 2]), { status: 'BAD_ARGUMENT' });
    assert.deepEqual(p.call('lists', [], Object.assign(Object.create(null), { a: [1] }), [1, 2])[1], new Map([['ax', [1]]]));
    p.close();
});

test('tensors of odd shapes, and that were changed', () => {
    const p = open(), echo = (data, shape, dtype) => p.call('echo', new Tensor(data, shape, dtype));
    assert.deepEqual([echo(Float32Array.of(3), []).shape, [...echo(Float32Array.of(3), []).data]], [[], [3]]);
    assert.deepEqual(echo(new Float32Array(0), [2, 0, 3]).shape, [2, 0, 3]);
    assert.deepEqual(echo(BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n)).data, BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n));
    assert.deepEqual([...echo(Uint8Array.of(1, 0, 1), [3], 'bool').data], [1, 0, 1]);
    assert.deepEqual([...echo(new Float32Array(new SharedArrayBuffer(8)), [2]).data], [0, 0]);
    const larger = new Tensor(Float32Array.of(1, 2, 3, 4), [2, 2]);
    larger.shape.pop();
    assert.throws(() => p.call('echo', larger), { status: 'BAD_ARGUMENT', message: /does not hold/ });
    const other = new Tensor(Float32Array.of(1, 2));
    other.data = new Float32Array(1 << 20);
    assert.throws(() => p.call('echo', other), { status: 'BAD_ARGUMENT' });
    const gone = new Tensor(Float32Array.of(1, 2));
    structuredClone(gone.data.buffer, { transfer: [gone.data.buffer] });
    assert.throws(() => p.call('echo', gone), { status: 'BAD_ARGUMENT' });
    const quantized = new Tensor(Uint8Array.of(1, 2), [2], 'quint8');
    quantized.quantizer = { axis: 0, scales: [1, 1], zeroPoints: [0] };
    assert.throws(() => p.call('echo', quantized), { status: 'BAD_ARGUMENT', message: /zero points/ });
    quantized.quantizer = { axis: 7, scales: [1, 1], zeroPoints: [0, 0] };
    assert.throws(() => p.call('echo', quantized), { status: 'BAD_ARGUMENT' });
    assert.deepEqual([...p.call('echo', Float32Array.of(7)).data], [7]);
    p.close();
});

test('a print function that throws ends the call, and its error comes out', () => {
    let n = 0;
    const p = open({ print: () => { throw new Error(`no ${++n}`); } });
    for (let i = 1; i < 200; i++)
        assert.throws(() => p.call('raises', 1), { message: `no ${i}` });
    p.onPrint = () => {};
    assert.equal(p.call('raises', 1), 1);
    p.close();
});

test('all or nothing', () => {
    const p = open({ print: () => {} });
    assert.throws(() => p.call('count_and_fail', 7), { status: 'RAISED' });
    assert.equal(p.call('counted'), 7);
    assert.throws(() => p.callOrRestore('count_and_fail', 9), { status: 'RAISED' });
    assert.equal(p.call('counted'), 7);
    assert.equal(p.callOrRestore('count_and_fail', 1), 8);
    p.close();
});

test('a stack that is used up', () => {
    const p = open(), q = open(), x = new Tensor(Float32Array.of(1, 2), [1, 2]);
    const failures = new Set();
    const deep = () => {
        try {
            deep();
        } catch (e) {
            failures.add(e.constructor.name);
        }
        try {
            p.run(x);
        } catch (e) {
            failures.add(e.constructor.name);
        }
    };
    deep();
    assert.ok([...failures].every(name => ['RangeError', 'TsmError'].includes(name)), [...failures].join());
    p.close();
    assert.deepEqual([...q.run(x).data], [2, 4]);
    q.close();
});

test('limits', () => {
    const fueled = open({ fuel: 10000 }), small = open({ buffer: 20000 });
    assert.throws(() => fueled.call('endless'), { status: 'OUT_OF_FUEL' });
    assert.throws(() => small.call('big', 100000), { status: 'OUT_OF_MEMORY' });
    assert.equal(small.call('big', 10).data.length, 10);
    assert.throws(() => open({ buffer: 100 }), { status: 'OUT_OF_MEMORY' });
    assert.throws(() => open({ buffer: 0 }), { status: 'OUT_OF_MEMORY' });
    assert.throws(() => open({ buffer: 2 ** 32 - 2 ** 16 }), { status: 'OUT_OF_MEMORY' });
    for (const options of [{ buffer: -1 }, { buffer: 2 ** 40 }, { buffer: '100' }, { buffer: 1.5 }, { fuel: -1 }, { fuel: NaN }, { fuel: 2 ** 64 }])
        assert.throws(() => open(options), { status: 'BAD_ARGUMENT' }, JSON.stringify(options));
    fueled.close();
    small.close();
});

test('use after close, and during a call', () => {
    const p = open();
    p.close();
    p.close();
    for (const f of [() => p.run(1), () => p.usage(), () => p.reset(), () => p.save(), () => p.metadata])
        assert.throws(f, { name: 'TsmError', message: 'the program is closed' });
    const said = [];
    const q = open({ print: () => [() => q.call('counted'), () => q.close(), () => q.reset(), () => q.save()].forEach(f => {
        try {
            f();
        } catch (e) {
            said.push(e.message);
        }
    }) });
    assert.equal(q.call('raises', 0), 0);
    assert.equal(said.length, 4);
    said.forEach(s => assert.match(s, /the program is running/));
    q.close();
});

test('damaged files are refused, whichever byte is wrong, and lose no memory', () => {
    assert.throws(() => runtime.open('x.tsm'), { status: 'BAD_ARGUMENT' });
    assert.throws(() => runtime.open(new Uint8Array(0)), { status: 'BAD_FILE' });
    for (let i = 0; i < file.length; i += 97) {
        const damaged = file.slice();
        damaged[i] ^= 1 << i % 8;
        assert.throws(() => runtime.open(damaged), e => ['BAD_FILE', 'UNSUPPORTED'].includes(e.status), `byte ${i}`);
        assert.throws(() => runtime.open(file.slice(0, i)), { status: 'BAD_FILE' });
    }
    // The text is that of the C interface, which tsmc prints.
    const path = join(folder, 'damaged.tsm');
    for (let i = 0; i < 12; i++) {
        const damaged = i % 2 ? file.slice(0, i * 997) : file.slice();
        damaged[i * 571] ^= 1 << i % 8;
        writeFileSync(path, damaged);
        const said = spawnSync(TSMC, ['--check', path], { encoding: 'utf8' });
        assert.equal(said.status, 2, said.stdout);
        assert.throws(() => runtime.open(damaged), { message: said.stderr.slice(path.length + 2).trimEnd() });
    }
    // Without checksums what opens in spite of its damage runs, or is refused.
    for (let i = 64; i < file.length; i += 61) {
        const damaged = file.slice();
        damaged[i] ^= 1 << i % 8;
        try {
            const p = runtime.open(damaged, { checksums: false, fuel: 100000, buffer: 1 << 20, print: () => {} });
            try {
                p.call('kinds', 3);
                p.call('raises', 1);
            } finally {
                p.close();
            }
        } catch (e) {
            assert.equal(e.name, 'TsmError', e.stack);
            assert.notEqual(e.status, 'INTERNAL', e.message);
        }
    }
    const pages = runtime.c.memory.buffer.byteLength;
    for (let i = 0; i < 200; i++)
        assert.throws(() => runtime.open(file.slice(0, -1)));
    for (let i = 0; i < 20; i++)
        open().close();
    assert.equal(runtime.c.memory.buffer.byteLength, pages);
});

test('the profile', () => {
    const p = open({ profile: true });
    p.run(new Tensor(Float32Array.of(1, 2), [1, 2]));
    const rows = p.profile();
    assert.ok(rows.some(r => r.name.startsWith('aten::mul') && r.calls === 1), JSON.stringify(rows));
    assert.ok(p.usage().highWaterBytes >= p.usage().fixedBytes);
    p.close();
    const other = open();
    assert.throws(() => other.profile(), { status: 'BAD_ARGUMENT', message: 'the program does not count: open it with profile: true' });
    other.close();
});

test('tensors are made of typed arrays', () => {
    for (const data of [[1, 2], new ArrayBuffer(8), 'text', null, undefined, 3])
        for (const dtype of [undefined, 'float32'])
            assert.throws(() => new Tensor(data, [2], dtype), { status: 'BAD_ARGUMENT', message: 'a tensor is made of a typed array' });
    assert.throws(() => new Tensor(Float32Array.of(1), [1], 'float'), { message: 'there is no dtype float' });
});

test('what tsmc refuses, by its line', () => {
    const source = 'import torch\ndef f(x: torch.Tensor) -> torch.Tensor:\n    return torch.nothing_like_it(x)\n';
    assert.throws(() => compiled(source, 'f'), e => e instanceof CompileError && e.status === 2 && /f\.py", line 3/.test(e.message));
    assert.throws(() => compiler.compile('f.py:f', { 'f.py': 5 }), { name: 'TypeError', message: /f\.py is no Uint8Array/ });
    assert.ok(compiler.compile('f.py:f', { 'f.py': 'def f(n: int) -> int:\n    return n\n' }).length > 100); // a text
    assert.throws(() => compiler.compile('no.pt', {}), e => e.status === 2 && /cannot be opened/.test(e.message));
    assert.throws(() => compiler.compile('bad.pt', { 'bad.pt': text('PK nothing') }), { status: 2 });
    const usage = compiler.run(['--no-such-option']);
    assert.equal(usage.status, 2);
    assert.match(compiler.run(['--version']).stdout, /^tsmc \d/);
    assert.deepEqual(compiled(PROGRAMS, 'Values'), file); // and it goes on
});

test('C, sizes and reports', () => {
    const emitted = compiler.run(['f.tsm', '--emit-c', '.'], { 'f.tsm': file });
    assert.equal(emitted.status, 0, emitted.stderr);
    assert.deepEqual(Object.keys(emitted.files).sort(), ['f.c', 'f.h', 'operators.c']);
    const report = compiler.run(['f.py:Values', '--report', 'r.html', '--sizes'], { 'f.py': text(PROGRAMS) });
    assert.match(report.stdout, /of the file's part/);
    assert.match(new TextDecoder().decode(report.files['r.html']), /^<!DOCTYPE html>/);
});

test('deep sources are refused, not a crash', () => {
    const deep = compiler.run(['f.py:f', '-o', 'x.tsm'], { 'f.py': text(`def f() -> int:\n    return ${'('.repeat(20000)}1${')'.repeat(20000)}\n`) });
    assert.ok(deep.status === 2 || deep.status === 3, String(deep.status));
    assert.match(deep.stderr, /expression depth|nests too deep/);
});

test('a worker thread', async () => {
    const code = `const { parentPort, workerData } = require('node:worker_threads');
        import(workerData.url).then(async ({ loadRuntime, Tensor }) => {
            const p = (await loadRuntime(workerData.module)).open(workerData.file);
            parentPort.postMessage(p.run(new Tensor(Float32Array.of(1, 2), [1, 2])).data);
        });`;
    const module = await WebAssembly.compile(readFileSync(join(TSM_PACKAGE, 'tsmobile.wasm')));
    const worker = new Worker(code, { eval: true, workerData: { url: pathToFileURL(join(TSM_PACKAGE, 'node.mjs')).href, module, file } });
    const result = await new Promise((done, failed) => worker.once('message', done).once('error', failed));
    await worker.terminate();
    assert.deepEqual([...result], [2, 4]);
});
