/** Formats the figures of the pictures as a Markdown table. */

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} unit
 * @property {readonly number[]} samples
 * @property {number} [budget] for the median and the mean: a mean of 20 ms from frame to frame is 50 frames per second
 */

/** @param {readonly number[]} sorted @param {number} part */
const quantile = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;

/** @param {number} value */
const shown = value => (value >= 100 ? value.toFixed(0) : value.toFixed(1));

/** @param {Row} row */
function line({ what, unit, samples, budget }) {
  const sorted = samples.toSorted((a, b) => a - b);
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const median = quantile(sorted, 0.5);
  const figures = [median, mean, quantile(sorted, 0.95), sorted.at(-1) ?? NaN].map(shown);
  const verdict =
    budget === undefined ? '' : `${budget}: ${Math.max(median, mean) <= budget ? 'met' : 'MISSED'}`;
  return [what, unit, String(samples.length), ...figures, verdict];
}

/** @param {readonly Row[]} rows @returns {string} */
export function table(rows) {
  const head = ['what', 'unit', 'samples', 'median', 'mean', 'p95', 'worst', 'budget'];
  return [head, head.map(() => '---'), ...rows.map(line)].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}
