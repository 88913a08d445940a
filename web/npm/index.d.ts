export * from "./core.js";

/**
 * Loads the compiled module, with simd128 where the engine has it, from beside the package, or what is given. To be awaited
 * once before anything else is used; node needs it not.
 */
export default function init(source?: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module): Promise<void>;
/** The same at once, of bytes or a compiled module. */
export function initSync(source: BufferSource | WebAssembly.Module): void;
