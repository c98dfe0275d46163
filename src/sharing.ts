/** `stridelab/sharing`: arrays between processes, with all members of arrays. */

import './index.ts';

export * from './sharing/index.ts';
