/** Evaluates an expression of a kernel for each row of some columns of numbers. */

import { array, zeros } from '../../../../src/index.ts';
import type { DTypeName } from '../../../../src/index.ts';
import { ELEMENTS, type ElementType } from '../../../../src/kernels/program/types.ts';
import { kernelOf, type Captured } from '../kernel-of.ts';

export type Value = number | bigint | boolean;

/** Returns the expression's value for each row; the columns have the names a, b and c. */
export function elementwise(
  expression: string,
  result: ElementType,
  columns: readonly (readonly [ElementType, readonly Value[]])[],
  captured: Captured = {}
): Value[] {
  const names = ['a', 'b', 'c'].slice(0, columns.length);
  const parameters = names.map((name, index) => `${name}s: Readonly<DeviceArray<${columns[index]![0]}>>`);
  const reads = names.map(name => `const ${name} = ${name}s[i];`).join(' ');
  const text = `(${[...parameters, `out: DeviceArray<${result}>`].join(', ')}) => {
    const i = cuda.grid(1);
    if (i >= out.length) return;
    ${reads}
    out[i] = ${expression};
  }`;
  const { length } = columns[0]![1];
  const dtype = (element: ElementType): DTypeName => ELEMENTS[element].dtype as DTypeName;
  const given = columns.map(([element, values]) => array(values as number[], { dtype: dtype(element) }));
  const out = zeros(length, { dtype: dtype(result) });
  kernelOf(names.length + 1, text, captured).launch(
    { grid: Math.ceil(length / 64), block: 64 },
    ...given,
    out
  );
  return out.toNested() as Value[];
}

/** Returns all pairs of some values, as two columns. */
export function pairs<T>(values: readonly T[]): readonly [T[], T[]] {
  return [values.flatMap(a => values.map(() => a)), values.flatMap(() => values)];
}
