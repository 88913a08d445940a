export * from "./core.js";

/**
 * Loads the compiled module from the package, with simd128 if the engine has it, or the given one. Await it once before
 * using anything else; Node.js does not need it.
 */
export default function init(source?: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module): Promise<void>;
/** Loads the module synchronously from bytes or a compiled module. Throws while `init` loads it. */
export function initSync(source: BufferSource | WebAssembly.Module): void;
