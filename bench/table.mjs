/** Formats the table of ratios as Markdown. */

import { columns, measures } from './measures.mjs';

/** @typedef {import('./measures.mjs').Measure} Measure */
/** @typedef {import('./peers/run.mjs').Figures} Figures */

/** Returns how many times better Stridelab is. @param {Measure} measure @param {number} ours @param {number} theirs */
const ratio = ({ unit }, ours, theirs) => (unit === 'us' ? theirs / ours : ours / theirs);

/** @param {number} value */
const digits = value => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3));

/**
 * Returns a row for each measure: Stridelab's figure, each peer's figure with the ratio in brackets (above 1: Stridelab is better), and
 * the budget.
 * @param {Figures} figures
 * @param {boolean} simulated whether the device is simulated: its rates are those of host memory, and have no budget
 */
export function table(figures, simulated) {
  const who = Object.keys(columns).filter(name => Object.keys(figures[name] ?? {}).length > 0);
  const head = ['what', 'unit', ...who.map(name => columns[name]), 'budget'];
  const rows = measures
    .filter(({ key }) => who.some(name => figures[name]?.[key] !== undefined))
    .map(measure => [
      measure.title,
      measure.unit,
      ...who.map(name => cell(measure, name, figures)),
      simulated && measure.unit === 'GB/s' ? '' : verdict(measure, figures)
    ]);
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n');
}

/** @param {Measure} measure @param {string} name @param {Figures} figures */
function cell(measure, name, figures) {
  const value = figures[name]?.[measure.key];
  const ours = figures['stridelab']?.[measure.key];
  if (value === undefined) return '';
  if (name === 'stridelab' || ours === undefined) return digits(value);
  return `${digits(value)} (${ratio(measure, ours, value).toFixed(2)}x)`;
}

/** @param {Measure} measure @param {Figures} figures */
function verdict(measure, figures) {
  const ours = figures['stridelab']?.[measure.key];
  const wanted = measure.budget ?? figures[measure.peer ?? '']?.[measure.key];
  if (ours === undefined || wanted === undefined) return '';
  // A peer moves the same bytes with the same driver call: a difference of one percent is noise.
  const margin = measure.budget === undefined ? 0.99 : 1;
  const met = ratio(measure, ours, wanted) >= margin;
  return `${measure.budget ?? columns[measure.peer ?? '']}: ${met ? 'met' : 'MISSED'}`;
}
