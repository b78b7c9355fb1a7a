// What the TypeScript compiler makes of the package's types: lines that end with "refused" are wrong, no others.
import { CompileError, loadCompiler, loadRuntime, Tensor, TsmError } from 'tsmobile';
import type { Compiler, DType, Method, Program, Result, Runtime, Status, Usage } from 'tsmobile';

export async function run(bytes: Uint8Array): Promise<number> {
    const runtime: Runtime = await loadRuntime();
    const program: Program = runtime.open(bytes, { buffer: 1 << 20, fuel: 1000, print: (text, isWarning) => console.log(text.length, !isWarning) });
    const method: Method | undefined = program.methods[0];
    const inputs: (DType | null)[] = method ? method.inputs.map((input) => input.dtype) : [];
    const y: Result = program.run(new Tensor(new Float32Array(4), [2, 2]), 3, 'text', null, [1, 2], new Map([['a', 1]]), { b: true }, 5n);
    program.call('learn', new Float32Array(2));
    const usage: Usage = program.usage();
    const state: Uint8Array = program.save();
    program.load(state);
    program.close();
    return y instanceof Tensor ? y.data.length + y.shape.length : usage.usedBytes + inputs.length;
}

export async function compile(source: Uint8Array): Promise<Uint8Array> {
    const compiler: Compiler = await loadCompiler(new URL('file:///tsmc.wasm'));
    try {
        return compiler.compile('net.py:Net', { 'net.py': source }, ['--eval']);
    } catch (refused) {
        if (refused instanceof CompileError) throw new Error(`${refused.status}: ${refused.message}`);
        throw refused;
    }
}

export function wrong(program: Program, runtime: Runtime, error: TsmError): void {
    const status: Status = error.status;
    const other: Status = 'NO_SUCH_STATUS'; // refused
    program.run(new Date()); // refused
    program.methods = []; // refused
    new Tensor([1, 2, 3]); // refused
    new Tensor(new Float32Array(1), [1], 'float99'); // refused
    runtime.open('model.tsm'); // refused
    runtime.open(new Uint8Array(1), { size: 3 }); // refused
    const text: string = program.run(); // refused
    program.learn(1); // refused
    console.log(status, other, text);
}
