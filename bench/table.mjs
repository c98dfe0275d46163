/** Formats the table of ratios as Markdown, and judges its rows. */

import { columns } from './measures.mjs';

/** @typedef {import('./measures.mjs').Measure} Measure */
/** @typedef {Record<string, Record<string, number>>} Figures by library and key */
/** @typedef {{ goal: string, met: boolean }} Verdict */

/** Differences of a percent are noise: the same kernel, run again, differs by as much. */
const NOISE = 0.99;
/** Libraries: the driver alone is a limit, not a competitor. */
const libraries = Object.keys(columns).filter(name => name !== 'stridelab' && name !== 'driver');

/** Returns how many times better the first figure is. @param {Measure} measure @param {number} ours @param {number} theirs */
const ratio = ({ unit }, ours, theirs) => (unit === 'us' ? theirs / ours : ours / theirs);

/** @param {number} value */
export const digits = value =>
  value >= 1000
    ? Math.round(value).toLocaleString('en')
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(3);

/** @param {Figures} figures @returns {string[]} the libraries that have figures */
const measured = figures =>
  Object.keys(columns).filter(name =>
    Object.keys(figures[name] ?? {}).some(key => !key.startsWith('curve.'))
  );

/**
 * Returns a row for each measure: Stridelab's figure, each peer's figure with the ratio in brackets (above 1: Stridelab is better), and
 * the verdicts.
 * @param {readonly Measure[]} measures
 * @param {Figures} figures
 */
export function table(measures, figures) {
  const who = measured(figures);
  const head = ['what', 'unit', ...who.map(name => columns[name]), 'goals'];
  const rows = measures
    .filter(({ key }) => who.some(name => figures[name]?.[key] !== undefined))
    .map(measure => [
      measure.title,
      measure.unit,
      ...who.map(name => cell(measure, name, figures)),
      verdicts(measure, figures)
        .map(({ goal, met }) => `${goal}: ${met ? 'met' : 'MISSED'}`)
        .join('; ')
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

/** Returns the best library besides Stridelab, if any measured this. @param {Measure} measure @param {Figures} figures */
export function best(measure, figures) {
  const all = libraries.flatMap(name => {
    const figure = figures[name]?.[measure.key];
    return figure === undefined ? [] : [{ name, figure }];
  });
  return all.sort((a, b) => ratio(measure, b.figure, a.figure) - 1)[0];
}

/** Judges a row: first of the libraries, and its goal. @param {Measure} measure @param {Figures} figures @returns {Verdict[]} */
export function verdicts(measure, figures) {
  const ours = figures['stridelab']?.[measure.key];
  if (ours === undefined) return [];
  /** @type {Verdict[]} */
  const all = [];
  /** @param {string} goal @param {number | undefined} wanted @param {number} margin */
  const judge = (goal, wanted, margin) => {
    if (wanted !== undefined) all.push({ goal, met: ratio(measure, ours, wanted) >= margin });
  };
  judge('first', best(measure, figures)?.figure, NOISE);
  const { at, driver, copy } = measure.goal ?? {};
  // Rates of a simulated device are those of the host's memory.
  if (measure.unit === 'us' || figures['driver'] !== undefined) judge(digits(at ?? 0), at, 1);
  const floor = figures['driver']?.[measure.key];
  if (driver !== undefined) judge(`${driver}x of the driver`, floor && floor * driver, 1);
  const copies = figures['driver']?.['copy.d2d'];
  if (copy !== undefined && copies !== undefined)
    judge(
      `${copy === 1 ? '' : `${copy} of `}the copy's rate (${digits(copies * copy)})`,
      copies * copy,
      NOISE
    );
  return all;
}
