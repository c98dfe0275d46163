import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';

export const tourPath = join(root, 'notebooks', '00-tour.ipynb');

export interface CodeCell {
  readonly cell_type: 'code';
  readonly source: string | string[];
  readonly execution_count: number | null;
  readonly outputs: readonly { readonly output_type: string; readonly data?: Record<string, unknown> }[];
  readonly metadata?: { readonly tags?: readonly string[] };
}

export interface Notebook {
  readonly cells: readonly (
    CodeCell | { readonly cell_type: 'markdown'; readonly source: string | string[] }
  )[];
  readonly metadata: Record<string, unknown>;
}

export function readNotebook(path: string): Notebook {
  return JSON.parse(readFileSync(path, 'utf8')) as Notebook;
}

export function codeCells(notebook: Notebook): CodeCell[] {
  return notebook.cells.filter(cell => cell.cell_type === 'code');
}

/** The notebook as if it had never been run. */
export function withoutOutputs(notebook: Notebook): Notebook {
  const { widgets: _, ...metadata } = notebook.metadata;
  const cells = notebook.cells.map(cell =>
    cell.cell_type === 'code' ? { ...cell, execution_count: null, outputs: [] } : cell
  );
  return { ...notebook, cells, metadata };
}

/** Writes a notebook of the project's kernel below `build/`: the cells of `base`, then code cells of these sources. */
export function writeNotebook(
  folder: string,
  name: string,
  sources: readonly string[],
  base?: Notebook
): string {
  const target = join(root, 'build', folder);
  mkdirSync(target, { recursive: true });
  const added = sources.map((source, i) => ({
    cell_type: 'code',
    id: `added-${i}`,
    metadata: {},
    execution_count: null,
    outputs: [],
    source
  }));
  const notebook = {
    cells: [...(base?.cells ?? []), ...added],
    metadata: base?.metadata ?? {
      kernelspec: { name: 'stridelab', display_name: 'TypeScript (Stridelab)', language: 'typescript' }
    },
    nbformat: 4,
    nbformat_minor: 5
  };
  const path = join(target, name);
  writeFileSync(path, JSON.stringify(notebook));
  return path;
}

/** The text of each code cell's output, on one line and without colours; for a picture, its MIME types. */
export function textsOf(notebook: Notebook): string[] {
  return codeCells(notebook).map(({ outputs }) =>
    outputs
      .map(output => {
        const { text, data = {} } = output as typeof output & { readonly text?: string | string[] };
        if (Object.keys(data).length > 1) return Object.keys(data).sort().join(' ');
        return [text ?? (data['text/plain'] as string | string[] | undefined) ?? ''].flat().join('');
      })
      .join('\n')
      .replaceAll(/\u001b\[\d+m/g, '')
      .replaceAll(/\s+/g, ' ')
  );
}
