/** Generates the code that splits a row-major index into one index per axis, and the parameters that it uses. Pure. */

/** Writes statements that run `use` for each axis, last axis first, with the index along it in `place`. They consume the variable `index`. */
export function emitPlaces(
  rank: number,
  use: (axis: number) => string,
  { index = 'left', shape = 'dims.shape', type = 'i64' } = {}
): string {
  const steps = Array.from({ length: rank }, (_, axis) => {
    const length = `(${type})${shape}[${axis}]`;
    return axis === 0
      ? `{ const ${type} place = ${index}; ${use(axis)} }`
      : `{ const ${type} place = ${index} % ${length}; ${index} /= ${length}; ${use(axis)} }`;
  });
  return steps.reverse().join('\n  ');
}

/** Lays out the lists of a `Dims` one after the other, each padded to `rank` numbers; a C++ array has at least one element. */
export function dimensions(rank: number, ...lists: readonly (readonly number[])[]): number[] {
  return lists.flatMap(list => Array.from({ length: Math.max(rank, 1) }, (_, axis) => list[axis] ?? 0));
}
