/** Reads notebook files (nbformat 4) and scripts in a common form, and writes notebooks. */

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, relative } from 'node:path';
import type { CellOrigin } from '../../protocol/cell-origin.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import { CommandFailure, replaceFile, tryToReplace, writingTo } from '../kit/failure.ts';
import { DEFAULT_DISPLAY_NAME, DEFAULT_NAME } from '../jupyter/kernelspec.ts';
import type { Output } from './outputs.ts';
import { parsePercentScript } from './percent-script.ts';

export interface Cell {
  cell_type: string;
  source: string | string[];
  metadata: JsonObject & { tags?: string[] };
  outputs?: Output[];
  execution_count?: number | null;
}

export interface Notebook {
  readonly cells: Cell[];
  readonly metadata: JsonObject;
  readonly nbformat: number;
  readonly nbformat_minor: number;
}

const LANGUAGES = new Set(['typescript', 'javascript']);
const SCRIPTS = new Set(['.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx']);
/** The first version whose cells have ids. */
const FORMAT = { nbformat: 4, nbformat_minor: 5 };

export function isScript(file: string): boolean {
  return SCRIPTS.has(extname(file));
}

export function sourceOf(cell: Cell): string {
  return [cell.source].flat().join('');
}

/** A notebook, with the places of its cells if it was read from a script. */
export interface Document {
  readonly notebook: Notebook;
  readonly origins: ReadonlyMap<Cell, CellOrigin>;
}

/** Reads a notebook or script. @throws CommandFailure if it is neither a TypeScript notebook nor a script */
export function readDocument(file: string): Document {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandFailure(`${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
  if (isScript(file)) return documentOf(file, text);
  if (extname(file) === '.ipynb') return { notebook: parseNotebook(file, text), origins: new Map() };
  throw new CommandFailure(
    `${file} is neither a notebook (.ipynb) nor a script (${[...SCRIPTS].join(', ')}).`
  );
}

function documentOf(file: string, script: string): Document {
  const path = relative('', file);
  const name = path.startsWith('..') ? file : path;
  const origins = new Map<Cell, CellOrigin>();
  const cells = parsePercentScript(script).map(({ kind, source, line }): Cell => {
    const plain = { cell_type: kind, id: randomUUID().slice(0, 8), metadata: {}, source };
    const cell = kind === 'code' ? { ...plain, execution_count: null, outputs: [] } : plain;
    origins.set(cell, { file: name, line });
    return cell;
  });
  const kernelspec = { name: DEFAULT_NAME, display_name: DEFAULT_DISPLAY_NAME, language: 'typescript' };
  return { notebook: { cells, metadata: { kernelspec }, ...FORMAT }, origins };
}

function parseNotebook(file: string, text: string): Notebook {
  let notebook: Partial<Notebook>;
  try {
    notebook = JSON.parse(text) as Partial<Notebook>;
  } catch (cause) {
    throw new CommandFailure(`${file} is not JSON: ${(cause as Error).message}.`, { cause });
  }
  if (notebook?.nbformat !== 4 || !Array.isArray(notebook.cells)) {
    throw new CommandFailure(
      `${file} is not a notebook of format 4: open it in JupyterLab and save it again.`
    );
  }
  const metadata = notebook.metadata ?? {};
  const spec = metadata['kernelspec'] as { language?: string } | undefined;
  const info = metadata['language_info'] as { name?: string } | undefined;
  const language = spec?.language ?? info?.name ?? 'typescript';
  if (!LANGUAGES.has(language.toLowerCase())) {
    throw new CommandFailure(`${file} is a notebook in ${language}: this kernel runs TypeScript.`);
  }
  return { ...(notebook as Notebook), metadata };
}

const OTHER_FILE = 'give another file with --output';

/** Writes the notebook atomically. @throws CommandFailure */
export function writeNotebook(file: string, notebook: Notebook): void {
  writingTo(file, () => replaceFile(file, `${JSON.stringify(notebook, null, 1)}\n`), OTHER_FILE);
}

/** Checks that a notebook can be written, before the cells run. @throws CommandFailure */
export function refuseUnwritable(file: string): void {
  if (!existsSync(dirname(file)))
    throw new CommandFailure(`${file} cannot be written: its folder does not exist.`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new CommandFailure(`${file} cannot be written: it is a folder.`);
  writingTo(file, () => tryToReplace(file), OTHER_FILE);
}
