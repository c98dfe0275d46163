/** Generates the text of docs/interop.md from the results of the runs. */

import { defects } from './defects.mjs';
import { protocols } from './facts.mjs';
import { adopters } from './libraries.mjs';

/**
 * @typedef {import('./facts.mjs').Crossing} Crossing
 * @typedef {import('./facts.mjs').Report} Report
 * @typedef {import('./facts.mjs').Run} Run
 */

const PLACES = { host: 'Arrays on the host', cuda: 'Arrays on a GPU' };
const ARROWS = { in: 'to TypeScript', out: 'to the library' };
const SHARED = {
  both: '',
  theirs: ', TypeScript sees what the library writes',
  ours: ', the library sees what TypeScript writes',
  neither: ', neither sees what the other writes'
};

/** Escapes text for a table cell. @param {string} text */
const cell = text => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** @param {number} value */
const digits = value => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** @param {Pick<Crossing, 'microseconds'>} crossing */
const time = ({ microseconds }) =>
  microseconds === undefined || microseconds === null ? '' : digits(microseconds);

/** Lists what is exchanged unchanged, and what happens to the rest. @param {Record<string, string> | undefined} outcomes */
export function summary(outcomes) {
  const entries = Object.entries(outcomes ?? {});
  const whole = entries.filter(([, outcome]) => outcome === 'same').map(([name]) => name);
  /** @type {Map<string, string[]>} */
  const others = new Map();
  for (const [name, outcome] of entries) {
    if (whole.includes(name)) continue;
    const kind = /^(copied|as |other values)/.test(outcome)
      ? outcome.replace(/: .*/s, '')
      : isCrash(outcome)
        ? 'crashed'
        : 'refused';
    others.set(kind, [...(others.get(kind) ?? []), name]);
  }
  if (entries.length === 0) return '';
  if (others.size === 0) return `all ${whole.length}`;
  const rest = [...others].map(([kind, names]) => `${kind}: ${names.join(', ')}`).join('; ');
  if (whole.length === 0) return rest;
  return whole.length > entries.length / 2
    ? `${whole.length} of ${entries.length}; ${rest}`
    : `${whole.join(', ')}; ${rest}`;
}

/** The memory of a crossing in words. @param {Crossing} crossing */
const memory = ({ outcome, shared }) =>
  outcome === 'zero-copy' ? `zero-copy${SHARED[shared ?? 'both']}` : outcome;

/** One word for a cell; the full text is below the table. @param {string | undefined} text */
function short(text) {
  if (text === undefined) return '';
  if (text === '') return '–';
  return (
    /^(kept|lost|refused|device|host|unproven)/.exec(text)?.[0] ?? (isCrash(text) ? 'crashed' : 'refused')
  );
}

/** @param {string} text */
const isCrash = text => text.startsWith('the process ');

/** The first crossing without a copy, otherwise the first with one. @param {Report} report @param {'in' | 'out'} direction */
const best = ({ crossings }, direction) =>
  crossings.find(crossing => crossing.direction === direction && crossing.outcome === 'zero-copy') ??
  crossings.find(crossing => crossing.direction === direction && crossing.outcome === 'copy');

/** @param {Crossing | undefined} crossing */
function way(crossing) {
  if (crossing === undefined) return ['none', '', '', ''];
  const { protocol, outcome, microseconds, order, readOnly } = crossing;
  return [
    outcome === 'copy' ? `${protocol}, copied` : protocol,
    time({ microseconds }),
    short(order),
    short(readOnly)
  ];
}

/** @param {Run} run */
function overview({ reports }) {
  const head = ['library', 'version'];
  for (const direction of ['to TypeScript', 'to the library'])
    head.push(direction, 'us', 'order', 'read-only');
  const rows = reports
    .filter(({ outcome }) => outcome === 'ran')
    .map(report => [
      report.library,
      report.version ?? '',
      ...way(best(report, 'in')),
      ...way(best(report, 'out'))
    ]);
  return table(head, rows);
}

/** @param {Report} report */
function details(report) {
  const tried = report.crossings.filter(({ outcome }) => outcome !== 'absent');
  const head = ['protocol', 'direction', 'memory', 'order', 'read-only', 'layouts', 'types', 'us'];
  const rows = tried.map(crossing => [
    crossing.protocol,
    ARROWS[crossing.direction],
    memory(crossing),
    short(crossing.order),
    short(crossing.readOnly),
    summary(crossing.layouts),
    summary(crossing.dtypes),
    time(crossing)
  ]);
  const absent = protocols.filter(protocol => !tried.some(crossing => crossing.protocol === protocol));
  const notes = tried.flatMap(crossing =>
    refusals(crossing).map(text => `* ${crossing.protocol} ${ARROWS[crossing.direction]}, ${text}`)
  );
  return [
    `### ${report.library} ${report.version ?? ''}`.trim(),
    ...(rows.length > 0 ? [table(head, rows)] : []),
    ...(absent.length > 0 ? [`It has no ${absent.join(', no ')}.`] : []),
    ...(notes.length > 0 ? [notes.join('\n')] : [])
  ].join('\n\n');
}

/** Stridelab's own errors cite a rule, or name the buffer protocol. @param {string} message */
const isOurs = message => /\(rule \d+\)|the buffer protocol has no format/.test(message);

/** The exports that Stridelab refuses, by protocol, each message once. @param {readonly Run[]} runs */
function ourRefusals(runs) {
  const outward = runs
    .flatMap(({ reports }) => reports.flatMap(({ crossings }) => crossings))
    .filter(({ direction }) => direction === 'out');
  const lines = outward.flatMap(({ protocol, layouts, dtypes, readOnly = '' }) =>
    [...Object.values(layouts ?? {}), ...Object.values(dtypes ?? {}), readOnly.replace(/^refused: /, '')]
      .filter(isOurs)
      .map(message => `* ${protocol}: ${cell(message)}`)
  );
  return [...new Set(lines)].sort().join('\n');
}

/** The libraries' errors of a crossing, each message once. @param {Crossing} crossing */
function refusals({ why, readOnly = '', layouts, dtypes, order = '' }) {
  /** @type {Map<string, string[]>} */
  const messages = new Map();
  const add = (/** @type {string} */ what, /** @type {string} */ message) =>
    void messages.set(message, [...(messages.get(message) ?? []), what]);
  if (why !== undefined) add('any array', why);
  for (const [name, outcome] of [...Object.entries(layouts ?? {}), ...Object.entries(dtypes ?? {})]) {
    if (!/^(same|copied|as )/.test(outcome) && !isOurs(outcome)) add(name, outcome);
  }
  if (!/^(kept|lost|)$/.test(readOnly) && !isOurs(readOnly)) {
    add('read-only arrays', readOnly.replace(/^refused: /, ''));
  }
  if (!/^(device|host|lost|)$/.test(order)) add('order of work', order);
  return [...messages].map(([message, names]) => `${names.join(', ')}: ${cell(message)}`);
}

/** @param {Run} run */
function machineOf({ machine }) {
  const { cpu, gpu, driver, node, python, date } = machine;
  const device = gpu === null ? '' : `${gpu}, driver API ${driver}; `;
  return `${date}; ${device}${cpu}; Node ${node}, Python ${python}.`;
}

/** @param {readonly Run[]} runs */
function adopterRows(runs) {
  const found = (/** @type {string} */ name) =>
    runs.flatMap(({ where, reports }) =>
      reports
        .filter(({ library }) => library === name)
        .map(({ outcome, version, why }) =>
          outcome === 'ran'
            ? `${where === 'cuda' ? 'on a GPU' : 'on the host'}, ${version}`
            : `${where === 'cuda' ? 'on a GPU' : 'on the host'}: ${why}`
        )
    );
  return adopters.map(({ name, row, reason = '' }) => {
    const ran = row === null ? [] : found(row);
    return [name, ran.length > 0 ? ran.join('; ') : 'not run', reason];
  });
}

/** @param {readonly Run[]} runs in the order of the page */
export function page(runs) {
  const parts = [
    '# Which library does what',
    `\`npm run interop\` measures these exchanges and generates this page; only the table of defects and the notes on adopters are written by hand. Each library is tested
in its own process, which runs [Python](python.md) and Stridelab together. *To TypeScript* is \`python.asArray(object, { via })\`;
*to the library* passes a Stridelab array, with only one protocol visible, to the library's import function.`,
    `* **memory**: zero-copy if both sides have the same address and each sees the other's writes.
* **order**: a slow kernel of the producer is pending while the consumer reads on another stream. *device*: the consumer's stream waited, but not the
  host; *host*: the host waited; *lost*: neither waited, and the value was wrong. For arrays on the host, Stridelab always waits for its pending work.
* **read-only**: the flag was *kept* or *lost*, or the array was *refused*. – means that the library has no read-only arrays.
* **layouts**: negative strides, column-major, an offset, gaps, 0-d, broadcast, empty; **types**: those Stridelab types that the library has too.
* **us**: host time of one exchange in microseconds, including the release of the array; the median of 15 batches. It includes a wrapper that hides the other protocols.`
  ];
  for (const run of runs) {
    const ran = run.reports.filter(({ outcome }) => outcome === 'ran');
    const not = run.reports.filter(({ outcome }) => outcome !== 'ran');
    parts.push(
      `## ${PLACES[run.where]}`,
      machineOf(run),
      'For each direction, the first protocol without a copy:',
      overview(run)
    );
    parts.push(...ran.map(details));
    if (not.length > 0)
      parts.push(not.map(({ library, why }) => `${library} was not run: ${why}.`).join('\n\n'));
  }
  const refused = ourRefusals(runs);
  if (refused !== '') parts.push('## Exports that Stridelab refuses for every library', refused);
  parts.push(
    '## The adopters of the CUDA Array Interface',
    'The document of the CUDA Array Interface lists these libraries.',
    table(['library', 'run here', 'notes'], adopterRows(runs)),
    '## Defects of other libraries, and workarounds',
    `These defects were found in the sources of the libraries. The numbers are those of the tests: \`interop-defects.test.ts\` on the host, \`anchor-defects.test.ts\` on a GPU.
*Present in* is the newest version that was checked.`,
    table(
      ['', 'library', 'defect', 'present in', 'workaround'],
      defects.map(({ number, library, defect, versions, guard }) => [
        String(number),
        library,
        defect,
        versions,
        guard
      ])
    )
  );
  return `${parts.join('\n\n')}\n`;
}
