/** How generated kernels take a row-major index apart, and the lists of numbers that they do it by. Pure. */

interface IndexNames {
  /** The variable that holds the index, and is used up. */
  readonly index: string;
  /** The list of lengths. */
  readonly shape: string;
  /** The unsigned or signed type that indices are computed in. */
  readonly type: string;
}

/** Statements that run `use` for each axis, the last one first, with the index along it in `place`. */
export function emitPlaces(
  rank: number,
  use: (axis: number) => string,
  { index = 'left', shape = 'dims.shape', type = 'i64' }: Partial<IndexNames> = {}
): string {
  const steps = Array.from({ length: rank }, (_, axis) => {
    const length = `(${type})${shape}[${axis}]`;
    return axis === 0
      ? `{ const ${type} place = ${index}; ${use(axis)} }`
      : `{ const ${type} place = ${index} % ${length}; ${index} /= ${length}; ${use(axis)} }`;
  });
  return steps.reverse().join('\n  ');
}

/** The lists of a `Dims` one after the other, each in the room of `rank` numbers; arrays of C++ have one element at least. */
export function dimensions(rank: number, ...lists: readonly (readonly number[])[]): number[] {
  return lists.flatMap(list => Array.from({ length: Math.max(rank, 1) }, (_, axis) => list[axis] ?? 0));
}
