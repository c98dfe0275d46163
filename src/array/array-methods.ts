/** Methods that rooms above this one add to arrays: they declare them here by module augmentation, as `ops/method-types.ts` does. */

import type { DTypeName } from '../dtype/dtype.ts';

// eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars
export interface ArrayMethods<D extends DTypeName> {}
