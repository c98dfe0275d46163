/** The parts of docs/performance.md that are made from results. */
import { columns, groupsOf, sizesOf } from './measures.mjs';
import { best, digits, verdicts } from './table.mjs';

/** @typedef {import('./table.mjs').Figures} Figures */
/** @typedef {import('./measures.mjs').Measure} Measure */

/**
 * A file of results, as bench/run.mjs writes it.
 * @typedef {{ name: string, date: string, machine: string, host: string, cores: number, versions: Record<string, string>, figures: Figures }} Results
 */

/** What is shown of the calls that cost the host time. */
const COSTS = [
  ...['cai.export', 'cai.import', 'dlpack.export', 'dlpack.capsule', 'pool', 'array', 'event'],
  ...['launch', 'ops.small', 'matmul.host', 'graph.capture', 'graph.launch']
];
const measures = Object.values(groupsOf(sizesOf(false))).flat();

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const tableOf = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n');

/** The best library as text. @param {Figures} figures @param {Measure} measure */
function bestOf(figures, measure) {
  const found = best(measure, figures);
  return found === undefined ? '' : `${columns[found.name]} ${digits(found.figure)}`;
}

/** @param {Figures} figures @param {string} name of the driver or Stridelab @param {string} key */
function figure(figures, name, key) {
  const value = figures[name]?.[key];
  return value === undefined ? '' : digits(value);
}

/** @param {readonly Results[]} results @param {Figures} figures */
function machine(results, figures) {
  const lines = results.map(({ name: file, date, machine: device, host, cores, versions }) => {
    const page = `../bench/results/${file}.md`;
    const libraries = ['CuPy', 'PyTorch'].flatMap(name =>
      versions[name] ? `${name} ${versions[name]}` : []
    );
    return `* [${date}, ${device}](${page}): ${host}, ${cores} cores; ${libraries.join(', ')}`;
  });
  const judged = measures.map(measure => verdicts(measure, figures)).filter(all => all.length > 0);
  const met = judged.filter(all => all.every(verdict => verdict.met)).length;
  return [...lines, '', `${met} of ${judged.length} rows reach all of their goals.`].join('\n');
}

/** @param {Figures} figures */
function costs(figures) {
  const rows = measures
    .filter(({ key }) => COSTS.includes(key))
    .map(measure => [
      measure.title,
      figure(figures, 'stridelab', measure.key),
      bestOf(figures, measure),
      figure(figures, 'driver', measure.key)
    ]);
  return tableOf(['Call, microseconds of the host', 'Stridelab', 'Best library', 'Driver'], rows);
}

/** @param {Figures} figures */
function misses(figures) {
  const rows = measures.flatMap(measure => {
    const missed = verdicts(measure, figures).filter(({ met }) => !met);
    if (missed.length === 0) return [];
    return [
      [
        measure.title,
        `${figure(figures, 'stridelab', measure.key)} ${measure.unit}`,
        bestOf(figures, measure),
        figure(figures, 'driver', measure.key),
        missed.map(({ goal }) => goal).join('; '),
        measure.limit ?? ''
      ]
    ];
  });
  return tableOf(['Row', 'Stridelab', 'Best library', 'Driver', 'Missed', 'Why'], rows);
}

/** The figures of several files; of those in more than one, the last counts. @param {readonly Results[]} results @returns {Figures} */
export function merged(results) {
  /** @type {Figures} */
  const figures = {};
  for (const result of results)
    for (const [name, own] of Object.entries(result.figures)) figures[name] = { ...figures[name], ...own };
  return figures;
}

/** Replaces the parts between `<!-- results: NAME -->` and `<!-- end -->`. @param {string} text @param {readonly Results[]} results */
export function filled(text, results) {
  const figures = merged(results);
  const parts = {
    machine: machine(results, figures),
    costs: costs(figures),
    misses: misses(figures)
  };
  return Object.entries(parts).reduce((all, [name, part]) => {
    const place = new RegExp(`(<!-- results: ${name} -->\n)[^]*?(<!-- end -->)`);
    if (!place.test(all)) throw new Error(`the page has no part <!-- results: ${name} -->`);
    return all.replace(place, (_, start, end) => `${start}${part}\n${end}`);
  }, text);
}
