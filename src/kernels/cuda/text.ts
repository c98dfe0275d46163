/** Pieces of CUDA C++ text that know how tightly they bind, so that parentheses stand only where they must. Pure. */

/** How tightly operators bind, loosest first. */
export const LEVEL = {
  select: 1,
  logicalOr: 2,
  logicalAnd: 3,
  or: 4,
  xor: 5,
  and: 6,
  equality: 7,
  relation: 8,
  shift: 9,
  sum: 10,
  product: 11,
  unary: 12,
  primary: 13
} as const;

/** An expression of C++. */
export interface Text {
  readonly text: string;
  /** That of its outermost operator. */
  readonly level: number;
  /** The value is of a signed type, but the text has the unsigned type of the same size, whose arithmetic wraps. */
  readonly unsigned: boolean;
}

export const primary = (text: string): Text => ({ text, level: LEVEL.primary, unsigned: false });

/** Returns the text for a place that binds with the level. */
export const inside = ({ text, level }: Text, least: number): string => (level < least ? `(${text})` : text);

export const call = (name: string, ...values: readonly Text[]): Text =>
  primary(`${name}(${values.map(({ text }) => text).join(', ')})`);

export const prefix = (operator: string, { text, level }: Text): Text => {
  // Two signs in a row would be another operator.
  const least = operator === '-' ? LEVEL.primary : LEVEL.unary;
  return {
    text: `${operator}${level < least ? `(${text})` : text}`,
    level: LEVEL.unary,
    unsigned: false
  };
};

export const cast = (type: string, value: Text): Text => prefix(`(${type})`, value);

/** Joins two operands; of equal levels the left one is computed first. */
export const infix = (left: Text, operator: string, right: Text, level: number, unsigned = false): Text => ({
  text: `${inside(left, level)} ${operator} ${inside(right, level + 1)}`,
  level,
  unsigned
});

/** Returns a literal of C++ for a text; what is not printable ASCII is written as octal codes of UTF-8. */
export function quoted(text: string): string {
  const escaped = Array.from(new TextEncoder().encode(text), code => {
    const letter = String.fromCharCode(code);
    if (letter === '\n') return '\\n';
    if (letter === '"' || letter === '\\') return `\\${letter}`;
    return code < 32 || code > 126 ? `\\${code.toString(8).padStart(3, '0')}` : letter;
  });
  return `"${escaped.join('')}"`;
}
