// The page that compiles a dropped model and runs it. Texts of programs only ever become text nodes.
const byId = id => document.getElementById(id);
const count = n => Number(n).toLocaleString('en-US');

function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {}))
        if (typeof value === 'function')
            element.addEventListener(name, value);
        else if (value !== null && value !== undefined)
            element.setAttribute(name, value);
    element.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined));
    return element;
}

/** A module, compiled by the engine beside the page. */
async function unpack(id) {
    const answer = await fetch(`data:application/octet-stream;base64,${byId(id).textContent}`);
    const stream = answer.body.pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

// ---- The worker, which compiles and runs (work.mjs) ----

let modules, worker = null, pending = null;

/** What work() rejects with when it was stopped. */
class Stopped extends Error {}

function startWorker() {
    const url = URL.createObjectURL(new Blob([byId('work').textContent], { type: 'text/javascript' }));
    const made = new Worker(url);
    made.onmessage = e => settle(made, job => 'error' in e.data ? job.failed(new Error(e.data.error)) : job.done(e.data.result));
    made.onerror = e => {
        e.preventDefault();
        settle(made, job => job.failed(new Error(e.message || 'no worker can be started')));
        end(made);
    };
    made.postMessage(['start', modules]);
    URL.revokeObjectURL(url);
    return made;
}

function show(isBusy) {
    byId('busy').hidden = !isBusy;
    for (const button of document.querySelectorAll('button.work'))
        button.disabled = isBusy;
    document.documentElement.dataset.state = isBusy ? 'busy' : 'ready';
}

/** Ends the job that the page waits for, unless it is one of a worker that was stopped. */
function settle(from, end) {
    const job = pending;
    if (from !== worker || !job)
        return;
    pending = null;
    clearInterval(job.clock);
    show(false);
    end(job);
}

/** Lets the worker do one job; the page shows which and for how long, and can stop it. */
function work(text, name, ...given) {
    stop();
    worker ??= startWorker();
    const begun = performance.now(), seconds = () => { byId('seconds').textContent = `${Math.floor((performance.now() - begun) / 1000)} s`; };
    say(text);
    seconds();
    show(true);
    return new Promise((done, failed) => {
        pending = { done, failed, clock: setInterval(seconds, 200) };
        worker.postMessage([name, ...given]);
    });
}

/** The next job has another worker. */
function end(old) {
    old.terminate();
    if (old === worker) {
        worker = null;
        isOpen = false;
    }
}

/** A worker that calculates hears nothing: it ends. */
function stop() {
    if (!pending)
        return;
    settle(worker, job => job.failed(new Stopped('It was stopped.')));
    end(worker);
}

// ---- The state of the page ----

/** `compiled`: what the worker made of the model; `isOpen`: whether the worker that is there has opened it. */
let files = {}, model = null, weights = null, compiled = null, isOpen = false;

function say(text) {
    byId('state').textContent = text;
}

/** A .py comes with its weights, in one drop or in two; of anything else tsmc says what it is. */
async function take(list) {
    const names = [...list].map(f => f.name), source = names.find(name => name.endsWith('.py'));
    stop();
    for (const file of list)
        files[file.name] = new Uint8Array(await file.arrayBuffer());
    const others = names.filter(name => !name.endsWith('.py')), areWeights = source || names.every(name => name.endsWith('.pth'));
    if (areWeights)
        weights = others.pop() ?? weights;
    if (source || !areWeights)
        model = source ?? names.at(-1);
    const isSource = model?.endsWith('.py');
    byId('entry-label').hidden = !isSource;
    byId('compile').disabled = !model;
    if (source)
        byId('entry').value = new TextDecoder().decode(files[model]).match(/^(?:class|def) (\w+)/m)?.[1] ?? '';
    say(model ? `${model}, ${count(files[model].length)} bytes${isSource && weights ? `, with ${weights}` : ''}` : `${weights} has weights; the .py of their module is missing.`);
    if (!areWeights)
        await compile(null);
}

function compilerArguments(example) {
    const args = [model.endsWith('.py') ? `${model}:${byId('entry').value}` : model];
    if (model.endsWith('.py') && weights)
        args.push('--weights', weights);
    if (byId('eval').checked)
        args.push('--eval');
    return example ? [...args, '--example', 'example.json'] : args;
}

/** `example`: the arguments as the JSON of docs/values.md, to plan memory for; or null. */
async function compile(example) {
    const before = example && byId('run'), name = model; // arguments stay as they were filled in
    byId('refused').hidden = byId('result').hidden = true;
    const given = example ? { ...files, 'example.json': example } : files;
    const begun = performance.now();
    isOpen = false;
    let done;
    try {
        done = await work(`Compiling ${name} ...`, 'compile', compilerArguments(example), given);
    } catch (e) {
        byId('result').hidden = !example; // what was compiled before without a plan is still there
        throw e;
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    if (done.refusal !== undefined) {
        byId('refusal').textContent = done.refusal;
        byId('refused').hidden = false;
        say(`${name} was refused after ${seconds} s.`);
        return;
    }
    compiled = done;
    isOpen = true;
    draw(before);
    say(`${name} is compiled: ${seconds} s.`);
}

// ---- What is shown ----

function table(id, heads, rows) {
    return el('div', { class: 'scroll' }, el('table', { id }, el('thead', null, el('tr', null, heads.map((h, i) => el('th', rows.some(row => typeof row[i] === 'number') ? { class: 'number' } : null, h)))),
        el('tbody', null, rows.map(row => el('tr', null, row.map(cell => el('td', typeof cell === 'number' ? { class: 'number' } : null,
            typeof cell === 'number' ? count(cell) : cell)))))));
}

/** Operators of the graph with how often they stand in it and the lines of the first. */
function operatorRows(report) {
    const found = new Map();
    const walk = nodes => nodes.forEach(n => {
        const row = found.get(n.op) ?? { times: 0, lines: new Set() }, [, , , source, line] = report.places[n.place] ?? [];
        row.times++;
        if (source >= 0)
            row.lines.add(`${report.sources[source].name.replace(/^.*\//, '')}:${line}`);
        found.set(n.op, row);
        (n.blocks ?? []).forEach(b => walk(b.nodes));
    });
    report.graph.forEach(f => walk(f.nodes));
    return [...found].sort((a, b) => b[1].times - a[1].times)
        .map(([name, row]) => [row.times, el('code', null, name), [...row.lines].slice(0, 6).join(', ') + (row.lines.size > 6 ? ', ...' : '')]);
}

function downloads() {
    const name = model.replace(/\.[^.]*$/, '').replace(/^.*\//, '');
    return el('ul', { class: 'downloads' }, Object.entries(compiled.files).map(([file, bytes]) => el('li', null,
        el('a', { href: URL.createObjectURL(new Blob([bytes])), download: file.startsWith('model.tsm') ? `${name}.tsm` : file }, file),
        el('span', { class: 'faint' }, ` ${count(bytes.length)} bytes`))));
}

const infoText = v => `${v.name ? v.name + ': ' : ''}${v.type}${v.dtype ? ` ${v.dtype}` : ''}${v.shape ? `[${v.shape.map(n => n < 0 ? '?' : n).join(', ')}]` : ''}`;

/** Long tables show their first rows until they are opened. */
function folded(id, heads, rows, shown) {
    return rows.length <= shown + 5 ? table(id, heads, rows) : [table(id, heads, rows.slice(0, shown)),
        el('details', null, el('summary', null, `${count(rows.length - shown)} more`), table(`${id}-more`, heads, rows.slice(shown)))];
}

/** What a call needed as it was measured here; 0: it was not. */
const measuredBuffer = report => Math.max(0, ...(report.memory ?? []).map(m => m.buffer));

/** What is promised; where a call's memory depends on more than its example, what was measured. */
function bufferText(report) {
    const need = Math.max(0, ...compiled.methods.map(m => m.bufferBytes)), here = measuredBuffer(report);
    return need ? `A call needs a buffer of ${count(need)} bytes, for arguments as in its example.` :
        here ? `In this page a call needed a buffer of ${count(here)} bytes, for arguments as in its example, which do not decide all.` :
        'How much memory a call needs is known when it runs, or when memory is planned for arguments (Run it).';
}

/** `before`: the section that runs, to be kept; or null. */
function draw(before) {
    const report = compiled.report, sizes = report.sizes, tsm = compiled.files['model.tsm'];
    const result = byId('result'), operators = operatorRows(report), here = measuredBuffer(report);
    const cards = [['It would run', `${count(operators.length)} operators, all supported`, 'good'], [`${count(tsm.length)} bytes`, 'the .tsm file'],
        here ? [`${count(here)} bytes`, 'buffer of a call, as planned here'] : null, [count(compiled.methods.length), compiled.methods.length === 1 ? 'method' : 'methods']];
    result.hidden = false;
    result.replaceChildren(
        el('ul', { class: 'cards' }, cards.filter(c => c).map(([value, what, kind]) => el('li', kind ? { class: kind } : null, el('b', null, value), what))),
        before ?? runSection(),
        el('section', { id: 'downloads' }, el('h2', null, 'Files'), downloads()),
        el('section', { id: 'methods' }, el('h2', null, 'Methods'), compiled.methods.map(m => el('p', { class: 'code' }, m.schema, el('br'),
            el('span', { class: 'faint' }, `takes ${m.inputs.map(infoText).join('; ') || 'nothing'}; gives ${m.outputs.map(infoText).join('; ')}`)))),
        el('section', { id: 'buffer' }, el('h2', null, 'Memory'), el('p', null, bufferText(report)),
            report.targets.length ? el('div', { id: 'targets' }, table('targets-table', ['target', 'buffer', 'file', 'file without debug information'],
                report.targets.map(t => [t.name, t.buffer || 'not known', t.file, t.stripped]))) : null),
        el('section', { id: 'operators' }, el('h2', null, 'Operators, all supported'), folded('operators-table', ['times', 'operator', 'lines'], operators, 12)),
        el('section', { id: 'sizes' }, el('h2', null, 'Sizes'), el('h3', null, 'Tensors'), folded('sizes-table', ['bytes', 'of the tensor', 'type'],
            [...sizes.tensors].sort((a, b) => b.bytes - a.bytes).map(t => [t.bytes, el('code', null, t.name), t.shape ? `${t.dtype}[${t.shape.join(', ')}]` : '']), 10),
        el('h3', null, 'Parts of the file'), table('parts-table', ['bytes', 'of the part of the file'], [...sizes.parts].sort((a, b) => b.bytes - a.bytes).map(p => [p.bytes, p.name]))));
    if (compiled.warnings)
        result.append(el('section', { id: 'warnings' }, el('h2', null, 'Warnings'), el('pre', null, compiled.warnings)));
}

// ---- Running ----

const isTensor = type => /^(Optional\[)?Tensor/.test(type);

function argumentRow(info, i) {
    const id = `argument-${i}`, shape = info.shape ? info.shape.map(n => n < 0 ? 1 : n).join(', ') : '1, 3, 224, 224';
    if (!isTensor(info.type))
        return el('div', { class: 'argument', 'data-kind': 'json' }, el('label', { for: id }, `${infoText(info)}: `),
            el('input', { id, class: 'code', size: 30, placeholder: 'as JSON; empty: the default' }));
    const row = el('div', { class: 'argument', 'data-kind': 'tensor', 'data-made': 'random' }, el('label', { for: id }, `${infoText(info)}: `),
        el('select', { id, class: 'made', change: e => { row.dataset.made = e.target.value; }, 'aria-label': `elements of ${info.name}` }, ['random', 'zeros', 'ones', 'image', 'image, as ImageNet', 'JSON'].map(k => el('option', null, k))),
        el('input', { class: 'dtype', size: 8, value: info.dtype ?? 'float32', 'aria-label': `dtype of ${info.name}` }),
        el('input', { class: 'shape code', size: 18, value: shape, 'aria-label': `sizes of ${info.name}` }),
        el('input', { class: 'elements code', size: 24, placeholder: 'JSON: [0.5, ...]', 'aria-label': `elements of ${info.name} as JSON` }),
        el('input', { class: 'image', type: 'file', accept: 'image/*', 'aria-label': `image for ${info.name}` }));
    return row;
}

function runSection() {
    const rows = el('div', { id: 'arguments' });
    const select = el('select', { id: 'method', 'aria-label': 'method', change: () => choose() }, compiled.methods.map(m => el('option', null, m.name)));
    const choose = () => rows.replaceChildren(...compiled.methods[select.selectedIndex].inputs.map(argumentRow));
    const forward = compiled.methods.findIndex(m => m.name === 'forward');
    select.selectedIndex = Math.max(0, forward);
    choose();
    return el('section', { id: 'run' }, el('h2', null, 'Run it'), el('label', null, 'method ', select), rows,
        el('button', { type: 'button', id: 'run-button', class: 'main work', click: () => attempt(run) }, 'Run'), ' ',
        el('button', { type: 'button', id: 'plan-button', class: 'work', click: () => attempt(plan) }, 'Plan memory for these arguments'),
        el('pre', { id: 'output', hidden: '', role: 'status' }));
}

async function attempt(f) {
    const output = byId('output');
    try {
        await f(output);
    } catch (e) {
        output.hidden = false;
        output.textContent = String(e.message ?? e);
    }
}

const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, int16: Int16Array, int8: Int8Array, uint8: Uint8Array, bool: Uint8Array };

/** What torchvision's models take off red, green and blue, and divide by. */
const IMAGENET = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };

/** An image scaled to the last two sizes, planes of red, green and blue (or their mean) from 0 to 1, 255 in integers. */
async function imageElements(file, shape, isInteger, isNormalized) {
    const [height, width] = shape.slice(-2), planes = shape.length > 2 ? shape[shape.length - 3] : 1;
    const canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d');
    context.drawImage(await createImageBitmap(file), 0, 0, width, height);
    const pixels = context.getImageData(0, 0, width, height).data, out = [];
    for (let p = 0; p < planes; p++)
        for (let i = 0; i < width * height; i++) {
            const value = planes === 3 ? pixels[4 * i + p] : (pixels[4 * i] + pixels[4 * i + 1] + pixels[4 * i + 2]) / 3;
            out.push(isInteger ? Math.round(value) : isNormalized ? (value / 255 - IMAGENET.mean[p]) / IMAGENET.std[p] : value / 255);
        }
    return out;
}

/** Numbers that are the same on every run. */
function* madeUp() {
    for (let x = 12345; ;) {
        x = (1103515245 * x + 12345) % 2147483648;
        yield x / 2147483648;
    }
}

async function tensorOf(row) {
    const get = name => row.querySelector(`.${name}`), dtype = get('dtype').value.trim(), Kind = ARRAYS[dtype];
    const shape = get('shape').value.trim() ? get('shape').value.split(',').map(Number) : [];
    if (!Kind)
        throw new Error(`tensors can be made up of ${Object.keys(ARRAYS).join(', ')}, not of ${dtype}`);
    if (!shape.every(n => Number.isInteger(n) && n >= 0))
        throw new Error(`[${get('shape').value}] are no sizes`);
    const n = shape.reduce((a, b) => a * b, 1), made = get('made').value, numbers = madeUp(), isInteger = !dtype.startsWith('float');
    let elements;
    if (made === 'JSON')
        elements = JSON.parse(get('elements').value || '[]').flat(Infinity);
    else if (made.startsWith('image')) {
        if (made !== 'image' && (isInteger || shape.at(-3) !== 3))
            throw new Error('an image as ImageNet has floats, in three planes');
        if (!get('image').files.length)
            throw new Error('choose an image file');
        elements = await imageElements(get('image').files[0], shape, isInteger, made !== 'image');
    } else
        elements = Array.from({ length: n }, () => made === 'zeros' ? 0 : made === 'ones' ? 1 : isInteger ? Math.round(numbers.next().value) : numbers.next().value);
    return { data: Kind.from(elements, x => Kind === BigInt64Array ? BigInt(x) : x), shape, dtype };
}

/** For each argument `tensor` or, of other types, `json`: the value. */
async function givenArguments() {
    const args = [];
    for (const row of byId('arguments').children) {
        const text = row.dataset.kind === 'json' ? row.querySelector('input').value.trim() : null;
        if (text === '')
            break; // this one and those behind have their defaults
        args.push(text === null ? { tensor: await tensorOf(row) } : { json: JSON.parse(text) });
    }
    return args;
}

async function run(output) {
    const method = byId('method').value, args = await givenArguments(), before = byId('state').textContent;
    const finished = work(`Running ${method} ...`, 'run', method, args, isOpen ? null : compiled.files['model.tsm']);
    isOpen = true;
    finished.catch(() => {}).then(() => pending || say(before));
    output.textContent = await finished;
    output.hidden = false;
}

/** The JSON of docs/values.md. */
function asJson({ tensor: t, json }) {
    return t ? `{"tensor": {"dtype": "${t.dtype}", "shape": [${t.shape}], "data": [${t.dtype === 'bool' ? Array.from(t.data, x => !!x) : t.data}]}}` : JSON.stringify(json);
}

async function plan() {
    const args = await givenArguments();
    await compile(`[${args.map(asJson).join(', ')}]`);
}

// ---- Events ----

function begin(f) {
    ready.then(f).catch(e => e instanceof Stopped || say(String(e)));
}

const drop = byId('drop');
for (const name of ['dragenter', 'dragover', 'dragleave', 'drop'])
    document.addEventListener(name, e => {
        e.preventDefault();
        drop.classList.toggle('over', name === 'dragenter' || name === 'dragover');
        const dropped = [...e.dataTransfer?.files ?? []];
        if (name === 'drop')
            begin(() => take(dropped));
    });
byId('files').addEventListener('change', e => begin(() => take(e.target.files)));
byId('compile').addEventListener('click', () => begin(() => compile(null)));
byId('stop').addEventListener('click', () => {
    stop();
    say('Stopped.');
});

const ready = (async () => {
    modules = { runtime: await unpack('runtime-wasm'), compiler: await unpack('compiler-wasm') };
    worker = startWorker();
    document.documentElement.dataset.state = 'ready';
})();
ready.catch(e => say(`This browser cannot run it: ${e.message}`));
