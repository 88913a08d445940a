// Returns whether the engine supports 128-bit SIMD: it accepts a module that uses one such instruction.

const MODULE = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 0x41, 0, 0xfd, 0x11, 0x1a, 0x0b];

export const hasSimd = () => WebAssembly.validate(new Uint8Array(MODULE));
