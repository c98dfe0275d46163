/** Declares the interface that higher layers extend with array methods by module augmentation, as `ops/method-types.ts` does. */

import type { DTypeName } from '../dtype/dtype.ts';

// eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars
export interface ArrayMethods<D extends DTypeName> {}
