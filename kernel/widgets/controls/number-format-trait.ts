/** The trait of number formats, in the syntax of d3-format. */

import { text, type Trait } from '../model/traits.ts';

const FORMAT = /^(?:.?[<>=^])?[+\-( ]?[$#]?0?\d*,?(?:\.\d+)?~?[efgrs%pbodxXc]?$/;

export function numberFormat(initial: string): Trait<string> {
  const plain = text(initial);
  return {
    ...plain,
    check(value, what) {
      const format = plain.check(value, what);
      if (FORMAT.test(format)) return format;
      throw new RangeError(`${what} must be a number format such as '.2f', 'd' or ',.3s', not '${format}'`);
    }
  };
}
