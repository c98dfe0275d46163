/** Pictures that are polled are mostly the same as before, and what is the same need not be sent. */

import { isDeepStrictEqual } from 'node:util';

/** `last` itself where `next` says the same. */
export function unlessChanged<Picture>(last: Picture, next: Picture): Picture {
  return isDeepStrictEqual(last, next) ? last : next;
}
