/** `stridelab/memory`: memory managers and memory without arrays, with all members of arrays. */

import './index.ts';

export * from './memory/index.ts';
