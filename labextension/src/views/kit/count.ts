/** Formats a count with the digit groups of the reader's language: `2,097,152`. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}
