/** Checks the outputs stored in a notebook. */

import { readFileSync } from 'node:fs';
import { readNotebook, type CodeCell, type Notebook } from './notebook-files.ts';

const MOST_BYTES = 300_000;
/** Folders that exist on the author's machine, but not on a reader's. */
const MACHINE_PATH = /\/(?:home|root|tmp|usr|opt|mnt|work|workspace|var|Users)\/[\w.-]+/;
const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';
const DIAGNOSTICS = 'application/vnd.stridelab.diagnostics+json';
const WIDGET_STATE = 'application/vnd.jupyter.widget-state+json';

type Output = CodeCell['outputs'][number];

const sourceOf = (cell: Notebook['cells'][number]): string => [cell.source].flat().join('');
const titleOf = (cell: Notebook['cells'][number]): string => sourceOf(cell).split('\n')[0] ?? '';

/** Each problem as a text with its cell; empty if the notebook can be stored. `times`: how often it has all cells. */
export function problemsOf(path: string, { times = 1 } = {}): string[] {
  const notebook = readNotebook(path);
  const problems: string[] = [];
  const [bytes, most] = [readFileSync(path).length, times * MOST_BYTES];
  if (bytes > most) problems.push(`${bytes} bytes are more than ${most}`);
  for (const cell of notebook.cells) {
    if (cell.cell_type !== 'code') continue;
    for (const problem of cellProblems(cell, notebook)) problems.push(`${problem}: ${titleOf(cell)}`);
  }
  const found = MACHINE_PATH.exec(JSON.stringify(notebook.metadata['widgets'] ?? null));
  if (found !== null) problems.push(`a path of a machine in the widgets' state: ${found[0]}`);
  return problems;
}

function* cellProblems(cell: CodeCell, notebook: Notebook): Generator<string> {
  if (typeof cell.execution_count !== 'number') yield 'was never run';
  for (const output of cell.outputs) {
    if (output.output_type === 'error') yield 'was stored with an error';
    if (output.data?.[DIAGNOSTICS] !== undefined) yield 'was stored with a type error';
    if ((output as { readonly name?: string }).name === 'stderr') yield 'was stored with a warning';
    const found = MACHINE_PATH.exec(JSON.stringify(output));
    if (found !== null) yield `shows a path of a machine, ${found[0]}`;
    const view = output.data?.[WIDGET_VIEW] as { readonly model_id: string } | undefined;
    if (view !== undefined) yield* widgetProblems(view.model_id, output, notebook);
  }
}

/** A widget is drawn from the saved state, or if widgets are not supported, from the alternatives beside it. */
function* widgetProblems(id: string, output: Output, notebook: Notebook): Generator<string> {
  const saved = notebook.metadata['widgets'] as Record<string, { readonly state: object }> | undefined;
  if (!(id in (saved?.[WIDGET_STATE]?.state ?? {}))) yield 'has a widget whose state was not saved';
  for (const type of ['text/html', 'text/plain'])
    if (output.data?.[type] === undefined) yield `has a widget without ${type} beside it`;
}
