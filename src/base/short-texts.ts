/** Bounds for what a picture says: the name of a record type may list hundreds of fields, and pictures are saved with notebooks. */

/** Characters of any one text of a description. */
const LONGEST_TEXT = 2_000;

/** The first characters, fewer by one where a letter of two would be halved: halves cannot be written as UTF-8. */
function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** At most `longest` characters, with an ellipsis as the last one if the text was longer. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${beginning(text, longest - 1)}…`;
}

/** The end of what is too long is replaced by its length. */
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
