/** Bounds the texts in pictures: the name of a structured dtype may list hundreds of fields, and pictures are saved with notebooks. */

const LONGEST_TEXT = 2_000;

/** Returns the first characters without splitting a surrogate pair, since a lone surrogate has no UTF-8 form. */
const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');

/** Returns at most `longest` characters, with an ellipsis as the last one if the text was longer. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${beginning(text, longest - 1)}…`;
}

/** Cuts a text that is too long and appends its full length. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${shorten(text, longest)} (${text.length} characters)`;
}

/** Returns a JSON value with every text in it shortened. */
export function shortTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return cut(value, LONGEST_TEXT) as Value;
  if (Array.isArray(value)) return value.map(shortTexts) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortTexts(inner)])) as Value;
}
