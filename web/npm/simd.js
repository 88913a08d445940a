// Whether the engine has 128-bit registers: a module that splats a number into one, and drops it, is valid there.

const MODULE = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 0x41, 0, 0xfd, 0x11, 0x1a, 0x0b];

export const hasSimd = () => WebAssembly.validate(new Uint8Array(MODULE));
