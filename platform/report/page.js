/* Draws a report from its data. Texts of programs only ever become text nodes and attributes of their own names. */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");

/* ---- Elements ---- */

function append(parent, children) {
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return parent;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  return element;
}

function el(tag, attributes, ...children) {
  return append(set(document.createElement(tag), attributes), children);
}

function svg(tag, attributes, ...children) {
  return append(set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), children);
}

/* ---- Numbers ---- */

const count = n => Number(n).toLocaleString("en-US");
const bytes = n => count(n) + " bytes";
const ms = ns => (ns / 1e6).toFixed(3);
const short = x => x === null || x === undefined ? "" : Number(x).toPrecision(4).replace(/\.?0+($|e)/, "$1");
const tensorText = t => t.shape ? `${t.dtype}[${t.shape.join(", ")}]` : t.text || t.kind || "";

/* ---- Parts of the page ---- */

function section(id, title, ...children) {
  document.getElementById("sections").append(el("a", {href: "#" + id}, title));
  main.append(el("section", {id, "aria-labelledby": id + "-title"}, el("h2", {id: id + "-title"}, title), ...children));
}

const SHOWN_ROWS = 25;

/* Columns: {title, value: what is shown, sort: what it is sorted by (makes it a number), code, aside: not on narrow
 * screens}. Of long tables the first rows are shown, until all are asked for. */
function table(id, columns, rows, onRow) {
  const body = el("tbody"), heads = [], kind = c => [c.sort ? "number" : c.code ? "code" : "", c.aside ? "aside" : ""].join(" ").trim() || null;
  let shown = rows, room = rows.length > SHOWN_ROWS + 5 ? SHOWN_ROWS : Infinity;
  const show = list => body.replaceChildren(...(shown = list).slice(0, room).map(row => {
    const tr = el("tr", null, columns.map(c => el("td", {class: kind(c)}, c.value(row))));
    if (onRow) onRow(tr, row);
    return tr;
  }));
  columns.forEach((c, i) => {
    const key = c.sort || (row => String(columns[i].text ? columns[i].text(row) : ""));
    const sortable = c.sort || c.text;
    const head = el("th", {class: kind({...c, code: false}), scope: "col"}, sortable ? el("button", {type: "button", click: () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach(h => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
      show([...rows].sort((a, b) => down ? order(b, a) : order(a, b)));
    }}, c.title) : c.title);
    heads.push(head);
  });
  show(rows);
  const more = room < Infinity ? el("button", {type: "button", class: "more", click: () => {
    room = Infinity;
    show(shown);
    body.children[SHOWN_ROWS].querySelector("a, td").focus();
    more.remove();
  }}, `Show all ${count(rows.length)} rows`) : null;
  return [el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": id},
    el("table", {id}, el("thead", null, el("tr", null, heads)), body)), more];
}

function bar(share) {
  const b = el("span", {class: "bar", "aria-hidden": "true"});
  b.style.width = Math.max(0, Math.min(1, share || 0)) * 8 + "rem";
  return b;
}

/* ---- Places ---- */

/* Parts of files that fit together become one: a class that occurs many times brings its lines as often. */
const sources = [], sourceOf = new Map();
const sourceNumbers = (data.sources || []).map(part => {
  const lines = part.text.replace(/\n$/, "").split("\n").map((text, i) => [part.first + i, text]);
  const known = sourceOf.get(part.name) || [];
  let found = known.find(s => lines.every(([n, text]) => !s.lines.has(n) || s.lines.get(n) === text));
  if (!found) {
    found = {name: part.name, number: sources.length, lines: new Map()};
    sources.push(found);
    sourceOf.set(part.name, [...known, found]);
  }
  lines.forEach(([n, text]) => found.lines.set(n, text));
  return found.number;
});
const places = (data.places || []).map(([fn, module, caller, source, line]) =>
  ({fn, module, caller, source: source < 0 ? source : sourceNumbers[source], line}));

/* The place and those of the calls that led there, outermost first. */
function chain(index) {
  const found = [];
  for (let i = index; i >= 0 && found.length < 1000; i = places[i].caller) found.unshift(i);
  return found;
}

function placeText(index) {
  const p = places[index];
  return p && p.source >= 0 ? `${sources[p.source].name}:${p.line}` : "";
}

function sourceLine(index) {
  const p = places[index];
  if (!p || p.source < 0) return "";
  return (sources[p.source].lines.get(p.line) || "").trim();
}

function placeLink(index) {
  const p = places[index];
  if (!p || p.source < 0) return null;
  return el("a", {href: `#line-${p.source}-${p.line}`, class: "code", title: `${placeText(index)}: ${sourceLine(index)}`,
    click: () => chooseLine(p.source, p.line)}, placeText(index).replace(/^.*[/\\]/, ""));
}

function chooseLine(source, line) {
  document.querySelectorAll(".source .chosen").forEach(e => e.classList.remove("chosen"));
  if (sources[source].show) sources[source].show();
  const row = document.getElementById(`line-${source}-${line}`);
  if (!row) return;
  row.classList.add("chosen");
}

/* ---- The graph, by modules ---- */

const className = fn => fn.split(".").slice(-2, -1)[0] || fn;

/* Items {place, ...} in order; neighbours of one call become a group. */
function grouped(items) {
  items.forEach((item, i) => { item.isGuard = i > 0 && item.op === "prim::If" && items[i - 1].op === "prim::TypeCheck"; });
  const root = {children: [], name: "", keys: []};
  for (const item of items) {
    const frames = item.place >= 0 ? chain(item.place) : [];
    let at = root;
    for (let i = 1; i < frames.length; i++) {
      const p = places[frames[i]], key = `${p.caller}/${p.fn}/${p.module}`;
      let last = at.children[at.children.length - 1];
      if (!last || last.key !== key)
        at.children.push(last = {key, children: [], fn: p.fn, module: p.module, call: p.caller});
      at = last;
    }
    at.children.push(item);
  }
  return root;
}

/* Of what is read by several, or in both branches, the bytes count once. */
const noTotals = () => ({count: 0, ns: 0, constants: new Set()});

function totals(node, into) {
  for (const c of node.children || []) {
    if (c.children) totals(c, into);
    else {
      into.count++;
      into.ns += c.ns || 0;
      (c.constants || []).forEach(n => into.constants.add(n));
      for (const b of c.blocks || []) totals({children: b.nodes}, into);
    }
  }
  return into;
}

const runNs = data.run ? data.run.operators.reduce((sum, o) => sum + o.ns, 0) : 0;

function totalsText(t) {
  const parts = [`${count(t.count)} operator${t.count === 1 ? "" : "s"}`];
  if (t.ns) parts.push(`${ms(t.ns)} ms, ${(100 * t.ns / (runNs || 1)).toFixed(1)} %`);
  const read = [...t.constants].reduce((sum, n) => sum + data.constants[n], 0);
  if (read) parts.push(`${count(read)} bytes of constants`);
  return parts.join("; ");
}

/* A details element whose content is made when it is first opened. */
function folded(summary, fill, open) {
  const make = () => {
    const once = fill;
    fill = null;
    if (once) append(d, [once()]);
  };
  const d = el("details", {toggle: () => d.open && make()}, el("summary", null, summary));
  d.show = () => {
    make();
    d.open = true;
  };
  if (open) d.show();
  return d;
}

/* What the blocks of a node are for. */
function blockLabel(item, i) {
  if (item.op !== "prim::If") return item.op === "prim::Loop" ? "loop" : `block ${i}`;
  if (item.isGuard) return i ? "for all other arguments" : "for arguments as in the example";
  return i ? "else" : "if";
}

function leaf(item) {
  const shown = [el("span", {class: "op"}, item.op), " "];
  if (item.text) shown.push(el("span", {class: "code"}, item.text), " ");
  if (item.shape) shown.push(el("span", {class: "faint"}, "gives ", item.shape, " "));
  if (item.calls) shown.push(el("span", {class: "faint"}, `${count(item.calls)} call${item.calls === 1 ? "" : "s"}, ${ms(item.ns)} ms `));
  if (item.bytes) shown.push(el("span", {class: "faint"}, `reads ${bytes(item.bytes)} of constants `));
  const link = placeLink(item.place);
  if (link) shown.push(link);
  if (!item.blocks || !item.blocks.length) return el("div", {class: "leaf"}, shown);
  return folded(shown, () => item.blocks.map((b, i) => folded([el("b", null, blockLabel(item, i)), " ",
    el("span", {class: "code"}, b.inputs.length ? `(${b.inputs.join(", ")})` : "", ` -> (${b.results.join(", ")})`)],
  () => children(grouped(b.nodes), item.isGuard ? 0 : 2), item.isGuard && !i)), item.isGuard);
}

function children(node, depth) {
  return node.children.map(c => {
    if (!c.children) return leaf(c);
    const line = c.call >= 0 ? sourceLine(c.call) : "";
    const label = [el("span", {class: "op"}, c.module || className(c.fn)), c.module ? ` ${className(c.fn)}` : "", " ",
      line ? el("code", {class: "faint"}, line, " ") : null, el("span", {class: "faint"}, totalsText(totals(c, noTotals())))];
    return folded(label, () => children(c, depth + 1), depth < 1);
  });
}

function matches(items, wanted, found) {
  for (const item of items) {
    const text = `${item.op} ${item.text || ""} ${item.place >= 0 ? placeText(item.place) : ""}`.toLowerCase();
    if (text.includes(wanted)) found.push(item);
    for (const b of item.blocks || []) matches(b.nodes, wanted, found);
  }
  return found;
}

function tree(title, items) {
  const box = el("div", {class: "tree"});
  const whole = () => [folded([el("b", null, title), " ",
    el("span", {class: "faint"}, totalsText(totals({children: items}, noTotals())))],
  () => children(grouped(items), 0), true)];
  const show = list => { box.replaceChildren(); append(box, list); };
  const filter = el("input", {type: "search", size: 30, "aria-label": `Operators of ${title}`, placeholder: "operator, value or file:line",
    input: () => {
      const wanted = filter.value.trim().toLowerCase(), found = wanted ? matches(items, wanted, []) : null;
      show(found ? [el("p", {class: "faint"}, `${count(found.length)} found`), found.slice(0, 500).map(leaf)] : whole());
    }});
  show(whole());
  return [filter, box];
}

/* ---- Sections ---- */

function drawHead() {
  const p = data.program || {metadata: [], methods: [], producer: "nobody: nothing was exported"}, entry = key => (p.metadata.find(m => m.key === key) || {}).value;
  const name = data.name || entry("source") || "program";
  document.title = `${name}: tsmobile report`;
  document.getElementById("title").textContent = name;
  document.getElementById("subtitle").textContent = `by ${data.tool}; the program by ${p.producer}`;
  const cards = data.program ? [["file", bytes(p.bytes)], ["of them tensors", bytes(p.tensor_bytes)]] : [];
  const need = Math.max(0, ...p.methods.map(m => m.buffer_bytes));
  if (need) cards.push(["buffer, as planned", bytes(need)]);
  if (data.run) {
    cards.push(["buffer, most in use", bytes(data.run.high_water_bytes)], ["in operators", ms(runNs) + " ms"]);
    cards.push(["operators called", count(data.run.operators.reduce((sum, o) => sum + o.calls, 0))]);
  }
  if (data.graph) cards.push(["operators", count(data.graph.reduce((sum, f) => sum + totals({children: f.nodes}, noTotals()).count, 0))]);
  main.append(el("ul", {class: "cards"}, cards.map(([what, value]) => el("li", null, el("b", null, value), what))));
}

function drawMethods() {
  if (!data.program) return;
  const valueText = v => `${v.name ? v.name + ": " : ""}${v.type}${v.dtype ? " " + v.dtype : ""}${v.sizes ? `[${v.sizes.map(s => s < 0 ? "?" : s).join(", ")}]` : ""}`;
  section("methods", "Methods", data.program.methods.map(m => [el("h3", {class: "code"}, m.schema), m.doc ? el("p", null, m.doc) : null,
    el("p", {class: "code"}, "takes ", m.inputs.map(valueText).join("; ") || "nothing", el("br"), "gives ", m.outputs.map(valueText).join("; ")),
    m.buffer_bytes ? el("p", {class: "faint"}, `buffer ${bytes(m.buffer_bytes)}, for arguments as in its example`) : null]),
  data.program.metadata.length ? table("metadata", [{title: "key", value: m => m.key}, {title: "value", value: m => m.value, code: true}], data.program.metadata) : null);
}

function drawGraph() {
  if (!data.graph) return;
  section("graph", "Graph", el("p", {class: "faint"}, "The program as it is lowered, by the modules and functions that its author called. " +
    "Enter opens and closes what has the focus."), data.graph.map(f => tree(f.name, f.nodes)));
}

function drawRun() {
  if (!data.run) return;
  section("run", "Run", el("p", {class: "faint"}, "What ran, by the modules and functions that the author called, in the order of the first call of each operator."),
    tree(data.run.method, data.run.sites));
}

const hue = text => [...text].reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 360, 7);

function memoryPicture(m) {
  const W = 960, H = 360, L = 76, B = 26, start = Math.min(...m.blocks.map(b => b.from));
  const end = Math.max(start + 1, ...m.blocks.map(b => b.to === null ? b.from + 1 : b.to)), steps = end - start;
  const x = s => L + (W - L - 8) * (s - start) / steps, y = v => H - B - (H - B - 10) * v / (m.region || 1);
  const rects = m.blocks.map(b => {
    if (b.offset === null) return null;
    const r = svg("rect", {class: "block", x: x(b.from).toFixed(1), y: y(b.offset + b.bytes).toFixed(1),
      width: Math.max(1, x(b.to) - x(b.from)).toFixed(1), height: Math.max(.7, y(b.offset) - y(b.offset + b.bytes)).toFixed(1)},
    svg("title", null, `${b.operator}: ${bytes(b.bytes)} at ${count(b.offset)}, from step ${b.from} to ${b.to}`));
    r.style.setProperty("--hue", hue(b.operator));
    return r;
  });
  const ticks = [0, .25, .5, .75, 1].map(t => [svg("path", {class: "axis", d: `M${L} ${y(t * m.region).toFixed(1)}H${W - 8}`}),
    svg("text", {x: L - 6, y: (y(t * m.region) + 4).toFixed(1), "text-anchor": "end"}, count(Math.round(t * m.region)))]);
  return [rects, el("div", {class: "figure"}, svg("svg", {viewBox: `0 0 ${W} ${H}`, role: "img",
    "aria-label": `${m.blocks.length} blocks in a region of ${m.region} bytes, over ${steps} steps; the table below lists them`},
  ticks, rects.filter(r => r), svg("text", {x: W - 8, y: H - 6, "text-anchor": "end"}, "requests and returns of blocks, in order")))];
}

function memoryOf(m, index) {
  const [rects, picture] = memoryPicture(m);
  return [el("p", null, `Method ${m.method}: ${count(m.blocks.length)} blocks. The largest sum of live bytes is ${bytes(m.live)}, ` +
    `the planned region ${bytes(m.region)}, the buffer of an instance and a call ${bytes(m.buffer)}${m.is_settled ? "" : " with this example, which does not decide all"}.`),
  picture, folded("The blocks", () => table("blocks-" + index, [{title: "bytes", value: b => count(b.bytes), sort: b => b.bytes},
    {title: "offset", value: b => b.offset === null ? "kept" : count(b.offset), sort: b => b.offset === null ? -1 : b.offset},
    {title: "from", value: b => b.from, sort: b => b.from}, {title: "to", value: b => b.to === null ? "-" : b.to, sort: b => b.to === null ? Infinity : b.to},
    {title: "operator", value: b => b.operator, text: b => b.operator, code: true}], m.blocks, (tr, b) => {
    const rect = rects[m.blocks.indexOf(b)], mark = on => () => { tr.classList.toggle("chosen", on); if (rect) rect.classList.toggle("chosen", on); };
    set(tr, {tabindex: 0, focus: mark(true), blur: mark(false), mouseenter: mark(true), mouseleave: mark(false)});
  }), false)];
}

function drawMemory() {
  if (data.memory && data.memory.length) section("memory", "Memory plan", data.memory.map(memoryOf));
}

function drawUsage() {
  const u = data.run && data.run.memory;
  if (!u || !u.length) return;
  const W = 960, H = 220, L = 76, B = 24, most = data.run.high_water_bytes || 1;
  const x = i => L + (W - L - 8) * i / Math.max(1, u.length - 1), y = v => H - B - (H - B - 10) * v / most;
  section("usage", "Memory while it ran", el("p", null, `The buffer after each operator${data.run.memory_step > 1 ? ` (the most of ${data.run.memory_step})` : ""}: ` +
    `${bytes(data.run.fixed_bytes)} are laid out at the start, ${bytes(most)} were in use at most (while operators run, too).`),
  el("div", {class: "figure"}, svg("svg", {viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `bytes in use after each operator; at most ${most}`},
    [0, .5, 1].map(t => [svg("path", {class: "axis", d: `M${L} ${y(t * most).toFixed(1)}H${W - 8}`}),
      svg("text", {x: L - 6, y: (y(t * most) + 4).toFixed(1), "text-anchor": "end"}, count(Math.round(t * most)))]),
    svg("path", {class: "curve", d: "M" + u.map((v, i) => `${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join("L")}),
    svg("text", {x: W - 8, y: H - 6, "text-anchor": "end"}, "operators, in order"))));
}

function drawTime() {
  if (!data.run) return;
  const byLine = new Map(); /* the same line of classes that occur many times is one */
  for (const s of data.run.sites) {
    if (s.place < 0 || places[s.place].source < 0) continue;
    const key = `${places[s.place].source}:${places[s.place].line}`, row = byLine.get(key) || {place: s.place, ns: 0, calls: 0};
    row.ns += s.ns;
    row.calls += s.calls;
    byLine.set(key, row);
  }
  const share = r => r.ns / (runNs || 1), most = list => Math.max(1, ...list.map(r => r.ns));
  const columns = list => [{title: "ms", value: r => ms(r.ns), sort: r => r.ns}, {title: "%", value: r => (100 * share(r)).toFixed(1), sort: share},
    {title: "", value: r => bar(r.ns / most(list)), aside: true}, {title: "calls", value: r => count(r.calls), sort: r => r.calls}];
  const operators = [...data.run.operators].sort((a, b) => b.ns - a.ns), lines = [...byLine.values()].sort((a, b) => b.ns - a.ns);
  section("time", "Time", el("h3", null, "By operator"), table("time-operators", [...columns(operators),
    {title: "bytes", value: r => count(r.bytes), sort: r => r.bytes, aside: true}, {title: "operator", value: r => r.name, text: r => r.name, code: true}], operators),
  el("h3", null, "By source line"), lines.length ? table("time-lines", [...columns(lines), {title: "line", value: r => placeLink(r.place), text: r => placeText(r.place)},
    {title: "", value: r => el("code", null, sourceLine(r.place))}], lines) : el("p", {class: "faint"}, "The file has no debug information (--strip)."));
}

function drawValues() {
  if (!data.run) return;
  const rows = data.run.sites.flatMap(s => s.outputs.map((v, i) => ({s, v, i}))).filter(r => r.v.shape);
  const stat = (title, key) => ({title, value: r => short(r.v[key]), sort: r => r.v[key] === null ? -Infinity : r.v[key]});
  section("values", "Values", el("p", {class: "faint"}, "What each operator gave when it ran last: of the finite elements the least, the greatest and the mean."),
    table("values-table", [{title: "operator", value: r => r.s.op, text: r => r.s.op, code: true}, {title: "tensor", value: r => tensorText(r.v), text: r => tensorText(r.v)},
      stat("least", "min"), stat("greatest", "max"), stat("mean", "mean"), {title: "NaN", value: r => r.v.nan ? el("b", {class: "bad"}, count(r.v.nan)) : "0", sort: r => r.v.nan},
      {title: "infinite", value: r => r.v.inf ? el("b", {class: "bad"}, count(r.v.inf)) : "0", sort: r => r.v.inf},
      {title: "line", value: r => placeLink(r.s.place), text: r => placeText(r.s.place)}], rows));
}

function drawDifferences() {
  const v = data.verify, e = data.run && data.run.expected;
  if (v)
    section("differences", "Differences after passes", el("p", {class: v.wrong ? "bad" : "good"}, v.wrong ? "A pass changes what the program computes." :
      `All agree to ${v.tolerance}, relative and absolute.`), v.wrong ? el("pre", null, v.wrong) : null,
    table("passes", [{title: "pass", value: p => p.pass, text: p => p.pass, code: true},
      {title: `largest difference from the program after ${v.reference}`, value: p => short(p.largest) || "0", sort: p => p.largest}], v.passes));
  if (!e) return;
  const rows = data.run.sites.filter(s => s.difference), worst = rows.find(s => !s.difference.agrees);
  section("differences", "Differences from expected values", el("p", {class: worst ? "bad" : "good"}, worst ?
    `The first operator that differs by more than ${e.tolerance} (relative and absolute): ${worst.op} ${placeText(worst.place)}` :
    `All ${count(rows.length)} operators that ${e.file} has agree to ${e.tolerance}, relative and absolute.`),
  e.missing ? el("p", {class: "faint"}, `${count(e.missing)} calls of operators are not in ${e.file}.`) : null,
  table("differences-table", [{title: "operator", value: s => s.op, text: s => s.op, code: true},
    {title: "largest difference", value: s => s.difference.why ? s.difference.why : short(s.difference.largest) || "0", sort: s => s.difference.why ? Infinity : s.difference.largest},
    {title: "compared", value: s => s.difference.elements ? "elements" : "least, greatest, mean"},
    {title: "", value: s => s.difference.agrees ? el("span", {class: "good"}, "agrees") : el("b", {class: "bad"}, "differs")},
    {title: "line", value: s => placeLink(s.place), text: s => placeText(s.place)}], rows));
}

function drawSizes() {
  const s = data.sizes;
  if (!s) return;
  const most = list => Math.max(1, ...list.map(r => r.bytes));
  const columns = list => [{title: "bytes", value: r => count(r.bytes), sort: r => r.bytes}, {title: "", value: r => bar(r.bytes / most(list)), aside: true}];
  for (const list of [s.tensors, s.parts, s.operators]) list.sort((a, b) => b.bytes - a.bytes);
  section("sizes", "Sizes", el("h3", null, "Tensors"), table("size-tensors", [...columns(s.tensors), {title: "tensor", value: r => r.name, text: r => r.name, code: true},
    {title: "type", value: r => tensorText(r)}, {title: "read by", value: r => r.readers.join(", "), code: true}], s.tensors),
  el("h3", null, "Parts of the file"), s.read ? el("p", {class: "faint"}, `The module's tensors had ${count(s.read)} bytes when they were read.`) : null,
  table("size-parts", [...columns(s.parts), {title: "part", value: r => r.name}], s.parts),
  el("h3", null, "Tensors that an operator reads"), table("size-operators", [...columns(s.operators), {title: "operator", value: r => r.name, text: r => r.name, code: true}], s.operators));
}

function drawTargets() {
  const t = data.targets;
  if (!t) return;
  section("targets", "Targets", el("p", {class: "faint"}, "The buffer (RAM) that an instance and a call as in the example need, at most, and the bytes of the file (flash). " +
    "Code of libtsmobile comes on top: docs/devices.md." + (t.some(r => !r.buffer) ?
    " A buffer is not known where it depends on more than types and shapes, as tsmc --dump plan explains." : "")), t.length ? table("targets-table", [{title: "target", value: r => r.name, text: r => r.name},
    {title: "buffer", value: r => r.buffer ? count(r.buffer) : "not known", sort: r => r.buffer},
    {title: "file", value: r => count(r.file), sort: r => r.file}, {title: "file without debug information", value: r => count(r.stripped), sort: r => r.stripped}], t) :
    el("p", null, "There is no plan: give --example."));
}

function drawSources() {
  if (!sources.length) return;
  const ns = new Map(), uses = new Map(), used = new Set();
  const add = (map, place, n) => { const key = `${places[place].source}-${places[place].line}`; map.set(key, (map.get(key) || 0) + n); used.add(places[place].source); };
  const walk = items => items.forEach(i => {
    if (i.place >= 0) { add(uses, i.place, 1); if (i.ns) add(ns, i.place, i.ns); }
    (i.blocks || []).forEach(b => walk(b.nodes));
  });
  if (data.run) walk(data.run.sites);
  (data.graph || []).forEach(f => walk(f.nodes));
  const most = Math.max(1, ...(ns.size ? ns : uses).values());
  const heat = s => [...s.lines.keys()].reduce((sum, n) => sum + ((ns.size ? ns : uses).get(`${s.number}-${n}`) || 0), 0);
  const wanted = sources.filter(s => used.has(s.number)).map(s => ({s, heat: heat(s)})).sort((a, b) => b.heat - a.heat);
  section("sources", "Sources", el("p", {class: "faint"}, `The lines that operators come from, of files with the most ${ns.size ? "time" : "operators"} first.`),
    wanted.map(({s, heat}, k) => {
      const d = folded([el("span", {class: "code"}, s.name), " ", el("span", {class: "faint"}, ns.size ? ms(heat) + " ms" : `${count(heat)} operator${heat === 1 ? "" : "s"}`)],
        () => sourceText(s, ns, uses, most), k < 3);
      s.show = d.show;
      return d;
    }));
}

function sourceText(s, ns, uses, most) {
  let last = null;
  return el("pre", {class: "source", tabindex: 0, "aria-label": s.name}, [...s.lines.entries()].sort(([a], [b]) => a - b).map(([n, text]) => {
    const key = `${s.number}-${n}`, t = ns.get(key), used = uses.get(key), isFar = last !== null && n > last + 1;
    const row = el("div", {id: `line-${key}`, class: isFar ? "far" : null}, el("span", null, n),
      el("span", null, t ? ms(t) + " ms" : used ? `${used} op` : ""), text || " ");
    if (t || used) row.style.background = `rgba(var(--heat), ${(.06 + .34 * (ns.size ? t || 0 : used) / most).toFixed(3)})`;
    last = n;
    return row;
  }));
}

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

for (const draw of [drawHead, drawMethods, drawGraph, drawRun, drawMemory, drawUsage, drawTime, drawValues, drawDifferences, drawSizes, drawTargets, drawSources])
  draw();
document.documentElement.dataset.state = "drawn";
