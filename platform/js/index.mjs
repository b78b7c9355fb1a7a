// The package `tsmobile`: finds the two .wasm files, in node beside this file, in browsers at its address.
import { Compiler } from './compiler.mjs';
import { Runtime } from './runtime.mjs';

export { CompileError, Compiler } from './compiler.mjs';
export { Program, Runtime, Tensor, TsmError } from './runtime.mjs';

async function compileModule(source) {
    if (source instanceof WebAssembly.Module)
        return source;
    if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer)
        return WebAssembly.compile(source);
    const url = new URL(source);
    if (url.protocol === 'file:') {
        const { readFile } = await import('node:fs/promises');
        return WebAssembly.compile(await readFile(url));
    }
    const answer = await fetch(url);
    if (!answer.ok)
        throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
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
