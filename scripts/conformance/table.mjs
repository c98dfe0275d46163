/** Formats the rows as Markdown: one table for the terminal, a table for each group in `docs/conformance.md`. */

/** @typedef {import('./rows.mjs').Row} Row */

/** @type {Readonly<Record<string, string>>} */
const GROUPS = {
  A: 'CUDA Array Interface: container and versions',
  B: 'CUDA Array Interface: shape, strides, extent',
  C: 'CUDA Array Interface: typestr, descr, mask',
  D: 'CUDA Array Interface: data',
  E: 'CUDA Array Interface: stream and synchronization',
  F: 'CUDA Array Interface: lifetime and pointer attributes',
  G: 'DLPack: structure and version',
  H: 'DLPack: dtypes, devices, flags',
  I: 'DLPack: call protocol and negotiation',
  J: 'DLPack: capsule and deleter',
  K: 'DLPack: exchange table, and the C side',
  L: 'Memory managers (NBEP 7)',
  M: 'JavaScript ground rules'
};
const HEAD = '| number | rule | test | result | reason |\n| --- | --- | --- | --- | --- |';

/** @param {Row[]} rows */
export function table(rows) {
  return [HEAD, ...rows.map(line)].join('\n');
}

/** Returns the totals in one line. @param {Row[]} rows */
export function summary(rows) {
  const count = (/** @type {Row['verdict']} */ verdict) => rows.filter(row => row.verdict === verdict).length;
  return `${rows.length} rules: ${count('pass')} pass, ${count('fail')} fail, ${count('missing')} missing`;
}

/** @param {Row[]} rows */
export function document(rows) {
  const groups = Object.entries(GROUPS).map(([letter, title]) => {
    const own = rows.filter(({ rule }) => rule.group === letter);
    return `## ${letter}. ${title}\n\n${table(own)}\n`;
  });
  return `# Conformance

\`npm run conformance\` runs the tests of the native core and the array library, finds those whose titles name a rule, and generates this page.
The rules are a checklist of the CUDA Array Interface (versions 0 to 3), DLPack (to 1.3) and Numba's external memory managers (NBEP 7), with additions for a JavaScript implementation.
M: required by a specification; R: recommended by one; X: an addition, for safety. The number in brackets counts the tests.

${summary(rows)}.

${groups.join('\n')}`;
}

/** @param {Row} row */
function line({ rule, tests, verdict, reason }) {
  const cells = [rule.number, `${rule.rule} (${rule.tag})`, tests, verdict, reason];
  return `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
