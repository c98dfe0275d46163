/** Bounds for what a picture says: the name of a record type may list hundreds of fields, and pictures are saved with notebooks. */

/** Characters of any one text of a description. */
const LONGEST_TEXT = 2_000;

/** The end of what is too long is replaced by its length. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}… (${text.length} characters)`;
}

/** The same JSON value with every text in it cut. */
export function shortTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return cut(value, LONGEST_TEXT) as Value;
  if (Array.isArray(value)) return value.map(shortTexts) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortTexts(inner)])) as Value;
}
