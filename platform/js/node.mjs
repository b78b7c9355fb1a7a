// The package `tsmobile` in node: what index.mjs is for browsers, which reads no files.
import { readFile } from 'node:fs/promises';
import { loadCompiler as compilerOf, loadRuntime as runtimeOf } from './index.mjs';

export { CompileError, Compiler, Program, Runtime, Tensor, TsmError } from './index.mjs';

async function local(source) {
    const isAddress = typeof source === 'string' || source instanceof URL;
    return isAddress && new URL(source).protocol === 'file:' ? readFile(new URL(source)) : source;
}

/** libtsmobile. `wasm`: a WebAssembly.Module, bytes or an address; else the file of this package. */
export async function loadRuntime(wasm) {
    return runtimeOf(await local(wasm ?? new URL('./tsmobile.wasm', import.meta.url)));
}

/** tsmc; the same. */
export async function loadCompiler(wasm) {
    return compilerOf(await local(wasm ?? new URL('./tsmc.wasm', import.meta.url)));
}
