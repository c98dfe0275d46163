/** TypeScript code that refers to the array of a picture. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';

export interface ArrayCode {
  readonly setup: string;
  readonly expression: string;
}

/** Returns a variable's name, or a constant made from the descriptor; undefined if neither exists. */
export function codeOf(array: ArrayDescription): ArrayCode | undefined {
  const [name] = array.names ?? [];
  if (name !== undefined) return { setup: '', expression: name };
  const hasMask = array.descriptor.some(({ key, value }) => key === 'mask' && value !== 'absent');
  // A dtype without a typestr cannot be written in a descriptor, and a copy without the mask would be another array.
  if (array.storage === null || array.typestr === 'none' || hasMask) return undefined;
  const stream = array.streams.find(({ exported }) => exported)?.handle;
  const descriptor = [
    `shape: [${array.shape.join(', ')}]`,
    `typestr: ${JSON.stringify(array.typestr)}`,
    `data: [${array.pointer}n, ${array.readOnly}]`,
    `strides: [${array.strides.join(', ')}]`,
    'version: 3',
    ...(stream === undefined ? [] : [`stream: ${stream}n`])
  ].join(', ');
  return {
    setup: `import { asCudaArray } from "stridelab";\nconst unnamed = asCudaArray({ __cuda_array_interface__: { ${descriptor} } });\n`,
    expression: 'unnamed'
  };
}
