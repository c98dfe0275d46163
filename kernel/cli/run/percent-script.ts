/** Scripts with cells: the percent format, `// %%` before each cell, that jupytext and editors know. */

export interface ScriptCell {
  readonly kind: 'code' | 'markdown' | 'raw';
  readonly source: string;
}

const MARKER = /^\/\/ ?%%(.*)$/;
const KIND = /\[(markdown|md|raw)\]/;

function cellOf(kind: ScriptCell['kind'], lines: readonly string[]): ScriptCell {
  const text = kind === 'code' ? lines : lines.map(line => line.replace(/^\/\/ ?/, ''));
  return { kind, source: text.join('\n').replace(/^\n+|\s+$/g, '') };
}

/** The cells of a script, empty ones left out; a script without a marker is one cell. */
export function parsePercentScript(text: string): ScriptCell[] {
  const cells: ScriptCell[] = [];
  let kind: ScriptCell['kind'] = 'code';
  let lines: string[] = [];
  const finish = (): void => {
    const cell = cellOf(kind, lines);
    if (cell.source !== '') cells.push(cell);
    lines = [];
  };
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const marker = MARKER.exec(line);
    if (marker === null) {
      lines.push(line);
      continue;
    }
    finish();
    const named = KIND.exec(marker[1]!)?.[1];
    kind = named === undefined ? 'code' : named === 'raw' ? 'raw' : 'markdown';
  }
  finish();
  return cells;
}
