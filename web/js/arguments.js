// Conversions of arguments, called by the compiled module.

const INTEGERS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array];

// Copies an array of numbers, as a `Uint32Array` if it is a typed array of integers. Whatever has no length (a `DataView`, an
// `ArrayBuffer`, a number) is no array.
export const copyOfNumbers = (array) => {
  if (INTEGERS.some((integers) => array instanceof integers)) return new Uint32Array(array);
  return typeof array === "object" && typeof array?.length === "number" ? new Float64Array(array) : undefined;
};
