/** `stridelab run`: runs every cell of a notebook or script, without a server or browser. */

import { dirname, extname, join, parse, resolve } from 'node:path';
import { CommandFailure } from '../kit/failure.ts';
import { findNodeRuntime } from '../kit/node-runtime.ts';
import { packageFiles } from '../kit/package-files.ts';
import { runCells, type RunResult } from './cells.ts';
import { BrokenPipe } from './broken-pipe.ts';
import { KernelSession } from './kernel-session.ts';
import { isScript, readDocument, type Notebook } from './notebook-file.ts';
import { OutputFile } from './output-file.ts';
import { OutputCollector } from './outputs.ts';
import { CellLines, ScriptText, type Terminal } from './terminal.ts';
import { TerminalInput } from './terminal-input.ts';
import { TypeFindings } from './type-findings.ts';
import { WidgetStateCollector } from './widget-state.ts';

const EXIT_INTERRUPTED = 130;
/** The status of a program that SIGPIPE ended. */
const EXIT_PIPE = 141;

export interface RunOptions {
  readonly output?: string;
  readonly inplace?: boolean;
  readonly allowErrors?: boolean;
  /** Timeout of each cell in seconds. */
  readonly timeout?: number;
  readonly node?: string;
}

/** Returns the file to write; undefined if the outputs are only printed. */
function targetOf(file: string, { output, inplace }: RunOptions): string | undefined {
  if (output !== undefined) {
    if (extname(output) === '.ipynb') return resolve(output);
    throw new CommandFailure(`--output "${output}" is not a notebook: its name must end with .ipynb.`);
  }
  if (isScript(file)) {
    if (inplace !== true) return undefined;
    throw new CommandFailure(
      'A script cannot store outputs: give --output NOTEBOOK.ipynb instead of --inplace.'
    );
  }
  const { dir, name } = parse(file);
  return inplace === true ? file : join(dir, `${name}.executed.ipynb`);
}

/**
 * Runs a file. @returns exit status: 0, 1 for failed cells or a script's type errors, 130 after Ctrl-C, 141 if nothing reads the output
 * of a script @throws CommandFailure
 */
export async function runDocument(name: string, options: RunOptions): Promise<number> {
  const file = resolve(name);
  const target = targetOf(file, options);
  const { notebook, origins } = readDocument(file);
  const node = findNodeRuntime(options.node);
  const outputs = new OutputCollector();
  const widgets = new WidgetStateCollector();
  const types = new TypeFindings();
  const terminal: Terminal = isScript(file) ? new ScriptText() : new CellLines(notebook);
  const input = new TerminalInput();
  const content = (): Notebook => {
    const state = widgets.metadata();
    return state === undefined
      ? notebook
      : { ...notebook, metadata: { ...notebook.metadata, widgets: state } };
  };
  const saved = target === undefined ? undefined : new OutputFile(target, content);
  const pipe = new BrokenPipe(saved === undefined);
  const { session, info } = await KernelSession.start({
    argv: [node.path, packageFiles.kernelMain, '{connection_file}'],
    folder: dirname(file),
    onPublished: message => {
      widgets.receive(message);
      types.receive(message);
      terminal.published(message);
      if (outputs.receive(message)) saved?.changed();
    },
    onInput: (prompt, password) => input.ask(prompt, password)
  });
  notebook.metadata['language_info'] = info['language_info'];
  let result: RunResult;
  try {
    const run = { session, outputs, terminal, types, origins, isProgram: isScript(file) };
    result = await runCells(notebook, run, options);
  } finally {
    input.close();
    await session.close();
    saved?.close();
    if (saved !== undefined) terminal.wrote(saved.path);
  }
  if (pipe.ended) return EXIT_PIPE;
  if (result === 'interrupted') return EXIT_INTERRUPTED;
  return result === 'succeeded' ? 0 : 1;
}
