// What the page's worker does: it compiles a model, and runs what became of it.
import { Compiler } from './compiler.mjs';
import { Runtime, Tensor } from './runtime.mjs';

const count = n => n.toLocaleString('en-US');

let runtime, compiler, program = null, printed = '';

function open(tsm) {
    program?.close();
    program = runtime.open(tsm, { profile: true, print: text => { printed += text; } });
}

function reportOf(page) {
    const text = new TextDecoder().decode(page);
    return JSON.parse(text.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]);
}

function valueText(v, indent = '') {
    if (v instanceof Tensor) {
        const numbers = Array.from(v.data, Number), first = Array.from(v.data.slice(0, 10), x => typeof x === 'bigint' ? x : Number(x.toPrecision(6))).join(', ');
        const best = numbers.map((x, i) => [x, i]).sort((a, b) => b[0] - a[0]).slice(0, 5).map(([x, i]) => `${i}: ${Number(x.toPrecision(6))}`).join(', ');
        return `${v.dtype}[${v.shape.join(', ')}]\n${indent}  ${first}${numbers.length > 10 ? ', ...' : ''}${numbers.length > 10 ? `\n${indent}  greatest: ${best}` : ''}`;
    }
    if (v instanceof Map)
        return [...v].map(([k, x]) => `${k}: ${valueText(x, indent + '  ')}`).join(`\n${indent}`);
    if (Array.isArray(v))
        return v.length ? v.map((x, i) => `[${i}] ${valueText(x, indent + '  ')}`).join(`\n${indent}`) : '[]';
    return JSON.stringify(v, (_, x) => typeof x === 'bigint' ? String(x) : x);
}

const jobs = {
    /** The first: both modules. */
    start(modules) {
        runtime = new Runtime(modules.runtime);
        compiler = new Compiler(modules.compiler);
    },

    /** `refusal`: tsmc's text; or what it made, and the methods. */
    compile(args, files) {
        const done = compiler.run([...args, '-o', 'model.tsm', '--report', 'report.html'], files);
        program?.close();
        program = null;
        if (done.status !== 0)
            return { refusal: done.stderr.trim() || done.stdout.trim() };
        const emitted = compiler.run(['model.tsm', '--emit-c', '.'], { 'model.tsm': done.files['model.tsm'] });
        open(done.files['model.tsm']);
        return { files: { ...done.files, ...emitted.files }, report: reportOf(done.files['report.html']), warnings: done.stderr, methods: program.methods };
    },

    /** What a call gives, as text. `tsm`: the program, when this worker has not opened it yet, or null. */
    run(method, args, tsm) {
        if (tsm)
            open(tsm);
        const values = args.map(({ tensor: t, json }) => t ? new Tensor(t.data, t.shape, t.dtype) : json);
        printed = '';
        const begun = performance.now(), result = program.call(method, ...values), time = performance.now() - begun;
        return `${printed}${valueText(result)}\n\n${time.toFixed(2)} ms; ${count(program.usage().highWaterBytes)} bytes of the buffer at most in use\n` +
            program.profile().slice(0, 5).map(r => `${r.ms.toFixed(3)} ms  ${r.name}`).join('\n');
    },
};

onmessage = ({ data: [name, ...given] }) => {
    let answer;
    try {
        answer = { result: jobs[name](...given) };
    } catch (e) {
        answer = { error: String(e.message ?? e) };
    }
    if (name !== 'start' || 'error' in answer)
        postMessage(answer);
};
