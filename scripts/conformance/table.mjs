/** The rows as markdown: one table for the terminal, one a group for `docs/conformance.md`. */

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
const HEAD = '| number | rule | test | pass, fail or n/a | reason |\n| --- | --- | --- | --- | --- |';

/** @param {Row[]} rows */
export function table(rows) {
  return [HEAD, ...rows.map(line)].join('\n');
}

/** One line on all rows. @param {Row[]} rows */
export function summary(rows) {
  const count = (/** @type {Row['verdict']} */ verdict) => rows.filter(row => row.verdict === verdict).length;
  return `${rows.length} rules: ${count('pass')} pass, ${count('fail')} fail, ${count('n/a')} n/a, ${count('missing')} missing`;
}

/** @param {Row[]} rows */
export function document(rows) {
  const groups = Object.entries(GROUPS).map(([letter, title]) => {
    const own = rows.filter(({ rule }) => rule.group === letter);
    return `## ${letter}. ${title}\n\n${table(own)}\n`;
  });
  return `# Conformance

Made by \`npm run conformance\`, which runs the tests whose titles name a rule; do not edit. The rules are a checklist of the CUDA Array
Interface (versions 0 to 3), DLPack (to 1.3) and Numba's external memory managers (NBEP 7), and what a JavaScript implementation adds.
M: demanded by a specification; R: recommended by one; X: beyond them, needed to be safe. The number in brackets counts the tests.

${summary(rows)}.

${groups.join('\n')}`;
}

/** @param {Row} row */
function line({ rule, tests, verdict, reason }) {
  const cells = [rule.number, `${rule.rule} (${rule.tag})`, tests, verdict, reason];
  return `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}
