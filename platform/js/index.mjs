// The package `tsmobile`: finds the two .wasm files at its own address. In node, node.mjs reads them from files.
import { Compiler } from './compiler.mjs';
import { Runtime } from './runtime.mjs';

export { CompileError, Compiler } from './compiler.mjs';
export { Program, Runtime, Tensor, TsmError } from './runtime.mjs';

async function compileModule(source) {
    if (source instanceof WebAssembly.Module)
        return source;
    if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer)
        return WebAssembly.compile(source);
    const answer = await fetch(source);
    if (!answer.ok)
        throw new Error(`${source}: ${answer.status} ${answer.statusText}`);
    return WebAssembly.compile(await answer.arrayBuffer());
}

/** libtsmobile. `wasm`: a WebAssembly.Module, bytes or an address; else the file of this package. */
export async function loadRuntime(wasm) {
    return new Runtime(await compileModule(wasm ?? new URL('./tsmobile.wasm', import.meta.url)));
}

/** tsmc; the same. */
export async function loadCompiler(wasm) {
    return new Compiler(await compileModule(wasm ?? new URL('./tsmc.wasm', import.meta.url)));
}
