/**
 * Formats the figures of all libraries as one Markdown table: `node bench/kernels/table.mjs GPU.json PEERS.json` for the outputs of gpu.mjs
 * and peers.py, `node bench/kernels/table.mjs SIMULATED.json` for that of simulated.mjs.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Figures
 * @property {string} [version]
 * @property {Record<string, number>} first milliseconds of the first call by kernel
 * @property {Record<string, { unit: string, rate: number }>} kernels
 * @property {number | null} 'launch, us'
 * @property {number} [compileAll] milliseconds, if the kernels are compiled together
 * @property {string[]} [notes]
 */
/** @typedef {Record<string, Figures>} Columns by title, ours first */

const OURS = 'Stridelab';

/** Splits the output of gpu.mjs into two columns. @param {any} report @returns {Columns} */
export function columnsOfGpu(report) {
  const of = (/** @type {string} */ who) =>
    Object.fromEntries(
      Object.entries(report.kernels).map(([name, figures]) => [
        name,
        { unit: figures.unit, rate: figures[who] }
      ])
    );
  return {
    [OURS]: { first: report.first, kernels: of('ours'), 'launch, us': report['launch, us'].ours },
    'CUDA C++': {
      first: {},
      kernels: of('CUDA C++'),
      'launch, us': report['launch, us']['CUDA C++'],
      compileAll: report['compile all, CUDA C++']
    }
  };
}

/** @param {number} value */
function digits(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(3);
}

/**
 * Returns a row: figures, and in brackets how many times better ours is.
 * @param {string} title @param {string} unit @param {(number | null | undefined)[]} values ours first @param {boolean} more whether more is better
 */
function row(title, unit, values, more) {
  const ours = values[0];
  const cells = values.map((value, index) => {
    if (typeof value !== 'number') return '';
    if (index === 0 || typeof ours !== 'number') return digits(value);
    return `${digits(value)} (${digits(more ? ours / value : value / ours)}x)`;
  });
  return [title, unit, ...cells];
}

/** @param {Figures} figures @param {readonly string[]} names */
function allFirst({ first, compileAll }, names) {
  if (compileAll !== undefined) return compileAll;
  return names.every(name => name in first) ? names.reduce((sum, name) => sum + first[name], 0) : undefined;
}

/** Returns rows of rates, then of the cost of a launch on the host, then of first calls. @param {Columns} columns */
export function table(columns) {
  const all = Object.values(columns);
  const units = Object.assign({}, ...all.toReversed().map(({ kernels }) => kernels));
  const names = Object.keys(all[0].kernels);
  const head = ['what', 'unit', ...Object.keys(columns)];
  const rows = [
    ...names.map(name =>
      row(
        name,
        units[name].unit,
        all.map(({ kernels }) => kernels[name]?.rate),
        true
      )
    ),
    row(
      'launch with three arrays, on the host',
      'us',
      all.map(figures => figures['launch, us']),
      false
    ),
    ...names.map(name =>
      row(
        `first call of ${name}`,
        'ms',
        all.map(({ first }) => first[name]),
        false
      )
    ),
    row(
      'first calls, all',
      'ms',
      all.map(figures => allFirst(figures, names)),
      false
    )
  ];
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first, peers] = process.argv.slice(2).map(file => JSON.parse(readFileSync(file, 'utf8')));
  const own = first.libraries ?? columnsOfGpu(first);
  console.log(table({ ...own, ...peers?.libraries }));
}
