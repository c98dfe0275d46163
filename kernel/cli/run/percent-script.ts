/** Scripts with cells: the percent format, with `// %%` before each cell, as in jupytext and editors. */

export interface ScriptCell {
  readonly kind: 'code' | 'markdown' | 'raw';
  readonly source: string;
  /** Number of the first line of `source` in the script, from 1. */
  readonly line: number;
}

const MARKER = /^\/\/ ?%%(.*)$/;
const KIND = /\[(markdown|md|raw)\]/;

function cellOf(kind: ScriptCell['kind'], lines: readonly string[], start: number): ScriptCell {
  const text = kind === 'code' ? lines : lines.map(line => line.replace(/^\/\/ ?/, ''));
  const empty = text.findIndex(line => line !== '');
  return {
    kind,
    source: text.join('\n').replace(/^\n+|\s+$/g, ''),
    line: start + Math.max(0, empty)
  };
}

/** Returns the cells of a script without empty ones; a script without a marker is one cell. */
export function parsePercentScript(text: string): ScriptCell[] {
  const cells: ScriptCell[] = [];
  let kind: ScriptCell['kind'] = 'code';
  let lines: string[] = [];
  let start = 1;
  const finish = (next: number): void => {
    const cell = cellOf(kind, lines, start);
    if (cell.source !== '') cells.push(cell);
    lines = [];
    start = next;
  };
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const marker = MARKER.exec(line);
    if (marker === null) {
      lines.push(line);
      continue;
    }
    finish(at + 2);
    const named = KIND.exec(marker[1]!)?.[1];
    kind = named === undefined ? 'code' : named === 'raw' ? 'raw' : 'markdown';
  }
  finish(0);
  return cells;
}
