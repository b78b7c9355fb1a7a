// Types of the package `tsmobile` (docs/javascript.md).

export type TypedArray = Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array |
    Float32Array | Float64Array | BigInt64Array | BigUint64Array;
export type DType = 'uint8' | 'int8' | 'int16' | 'int32' | 'int64' | 'float16' | 'float32' | 'float64' | 'complex32' | 'complex64' |
    'complex128' | 'bool' | 'qint8' | 'quint8' | 'qint32' | 'bfloat16' | 'float8_e5m2' | 'float8_e4m3fn' | 'float8_e5m2fnuz' |
    'float8_e4m3fnuz' | 'uint16' | 'uint32' | 'uint64';
export type Status = 'RAISED' | 'OUT_OF_MEMORY' | 'BAD_FILE' | 'UNSUPPORTED' | 'BAD_ARGUMENT' | 'OUT_OF_FUEL' | 'TOO_DEEP' | 'INTERNAL';

export interface Quantizer {
    axis: number;
    scales: number[];
    zeroPoints: number[];
}

export class Tensor {
    constructor(data: TypedArray, shape?: readonly number[], dtype?: DType);
    readonly data: TypedArray;
    readonly shape: number[];
    readonly dtype: DType;
    quantizer?: Quantizer;
}

export type Value = null | undefined | boolean | number | bigint | string | Tensor | TypedArray | readonly Value[] |
    Map<Value, Value> | Complex | EnumValue | { [name: string]: Value };

export interface Complex { re: number; im: number }
export interface ObjectValue { class: string; attributes: { [name: string]: Result } }
export interface EnumValue { class: string; name: string }
export type Result = null | boolean | number | bigint | string | Tensor | Complex | Result[] | Map<Result, Result> | ObjectValue | EnumValue;

export class TsmError extends Error {
    readonly status: Status;
}

export interface ValueInfo {
    name: string;
    type: string;
    dtype: DType | null;
    shape: number[] | null;
}

export interface Method {
    name: string;
    schema: string;
    doc: string;
    bufferBytes: number;
    inputs: ValueInfo[];
    outputs: ValueInfo[];
}

export interface OpenOptions {
    buffer?: number;
    fuel?: number;
    profile?: boolean;
    checksums?: boolean;
    print?: (text: string, isWarning: boolean) => void;
}

export interface Usage {
    bufferBytes: number;
    fixedBytes: number;
    usedBytes: number;
    highWaterBytes: number;
    instructions: number;
    work: number;
}

export interface ProfileRow {
    name: string;
    calls: number;
    ms: number;
    bytes: number;
}

export class Program {
    private constructor();
    readonly methods: Method[];
    readonly bufferBytes: number;
    readonly producer: string;
    readonly metadata: { [key: string]: string };
    call(method: string, ...args: Value[]): Result;
    callOrRestore(method: string, ...args: Value[]): Result;
    run(...args: Value[]): Result;
    reset(): void;
    save(): Uint8Array;
    load(state: Uint8Array): void;
    usage(): Usage;
    profile(): ProfileRow[];
    close(): void;
}

export class Runtime {
    constructor(module: WebAssembly.Module);
    readonly version: string;
    open(file: Uint8Array | ArrayBuffer, options?: OpenOptions): Program;
}

export interface Files { [name: string]: Uint8Array }
export interface GivenFiles { [name: string]: Uint8Array | ArrayBuffer | string }

export interface CompilerRun {
    status: number;
    stdout: string;
    stderr: string;
    files: Files;
}

export class CompileError extends Error {
    readonly status: number;
}

export class Compiler {
    constructor(module: WebAssembly.Module);
    run(args: readonly string[], files?: GivenFiles): CompilerRun;
    compile(name: string, files: GivenFiles, args?: readonly string[]): Uint8Array;
}

export type WasmSource = WebAssembly.Module | Uint8Array | ArrayBuffer | string | URL;
export function loadRuntime(wasm?: WasmSource): Promise<Runtime>;
export function loadCompiler(wasm?: WasmSource): Promise<Compiler>;
