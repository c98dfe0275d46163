/** Formats the figures of all kernels and the budgets as a Markdown table. */

/** @typedef {import('./measure.mjs').Figures} Figures */

/**
 * @typedef {object} Row
 * @property {string} key
 * @property {string} title
 * @property {string} [unit]
 * @property {number} [budget]
 * @property {'more'} [better] set if a larger figure is better
 * @property {string} [beside] key of a second figure, shown after a slash
 * @property {string} [twice] key of the figure whose double is the budget
 */

/** @type {readonly Row[]} */
export const rows = [
  { key: 'start', title: 'start to the first `kernel_info_reply`', unit: 'ms', budget: 90 },
  { key: 'lost', title: 'first requests that were never answered' },
  { key: 'first', title: 'first cell', unit: 'ms' },
  { key: 'steady', title: '`1+1`, median / p95', unit: 'ms', budget: 1, beside: 'steady95' },
  { key: 'fresh', title: 'a new variable each cell, median / p95', unit: 'ms', budget: 1, beside: 'fresh95' },
  { key: 'unanswered', title: 'cells that were never answered' },
  {
    key: 'wrong',
    title: 'a cell that does not type-check (or a wrong name)',
    unit: 'ms',
    budget: 6,
    beside: 'wrongTold'
  },
  { key: 'completeFirst', title: 'completion before any cell has run', unit: 'ms', budget: 300 },
  { key: 'complete', title: 'completion', unit: 'ms' },
  { key: 'completeBusy', title: 'completion while a cell loops', unit: 'ms', twice: 'complete' },
  { key: 'inspect', title: 'inspection', unit: 'ms' },
  { key: 'inspectBusy', title: 'inspection while a cell loops', unit: 'ms', twice: 'inspect' },
  { key: 'lines', title: '100,000 printed lines', unit: 'lines/s', budget: 600_000, better: 'more' },
  { key: 'messages', title: 'messages for them' },
  { key: 'atIdle', title: 'of them there when the cell was idle' },
  { key: 'idle', title: 'memory at idle, RSS / PSS', unit: 'MiB', budget: 120, beside: 'idlePss' },
  {
    key: 'early',
    title: 'memory after 5 cells, with a type server if there is one',
    unit: 'MiB',
    budget: 220
  },
  { key: 'late', title: 'memory after 400 cells more', unit: 'MiB' },
  { key: 'afterPrinting', title: 'memory after printing', unit: 'MiB' },
  { key: 'situations', title: 'interrupt situations survived each time' },
  { key: 'stopped', title: 'interrupts that stopped the cell and left the variables' },
  { key: 'interrupt', title: 'interrupt, median / p95', unit: 'ms', beside: 'interrupt95' },
  { key: 'interruptMost', title: 'interrupt, slowest', unit: 'ms', budget: 50 },
  { key: 'interruptWait', title: 'interrupt of an await', unit: 'ms' },
  { key: 'exit', title: 'exit after `shutdown_request`', unit: 'ms' },
  { key: 'hot', title: '50 million additions on a top-level variable', unit: 'ms' }
];

/** @param {Readonly<Record<string, Figures>>} figures by kernel, ours first @returns {string} */
export function table(figures) {
  const names = Object.keys(figures);
  const head = ['what', 'unit', ...names, 'budget'];
  const lines = rows
    .filter(({ key }) => names.some(name => figures[name]?.[key] !== undefined))
    .map(row => [
      row.title,
      row.unit ?? '',
      ...names.map(name => cell(row, figures[name] ?? {})),
      verdict(row, figures[names[0] ?? ''] ?? {})
    ]);
  return [head, head.map(() => '---'), ...lines].map(line => `| ${line.join(' | ')} |`).join('\n');
}

/** @param {Row} row @param {Figures} figures */
function cell({ key, beside }, figures) {
  const value = shown(figures[key]);
  const second = beside === undefined ? '' : shown(figures[beside]);
  return second === '' ? value : `${value} / ${second}`;
}

/** @param {number | string | undefined} value */
function shown(value) {
  if (typeof value !== 'number') return value ?? '';
  if (Number.isInteger(value) && value < 1_000) return String(value);
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {Row} row @param {Figures} ours */
function verdict({ key, budget, better, twice }, ours) {
  const value = ours[key];
  const idle = twice === undefined ? undefined : ours[twice];
  const limit = typeof idle === 'number' ? 2 * idle : budget;
  if (limit === undefined) return '';
  const met = typeof value === 'number' && (better === 'more' ? value >= limit : value <= limit);
  return `${twice === undefined ? shown(limit) : 'twice idle'}: ${met ? 'met' : 'MISSED'}`;
}
