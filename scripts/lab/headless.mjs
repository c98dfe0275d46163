import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { paths, root } from '../setup/paths.mjs';
import { KernelClient } from './kernel-client.mjs';
import { privateEnvironment } from './options.mjs';
import { startLabServer } from './server.mjs';

const CELL_TIMEOUT_MS = 120_000;
const KERNEL_TIMEOUT_MS = 30_000;
const TITLE_LENGTH = 64;

/** @typedef {import('../../kernel/cli/run/outputs.ts').OutputCollector} OutputCollector */
/** @typedef {{ cell_type: string, source: string | string[], metadata: { tags?: string[] }, outputs?: import('../../kernel/cli/run/outputs.ts').Output[], execution_count?: number | null }} Cell */
/** @typedef {{ cells: Cell[], metadata: Record<string, any>, nbformat: number, nbformat_minor: number }} Notebook */

/**
 * Runs a notebook through a JupyterLab server with the kernel that it names, prints a line for each code cell and writes
 * the executed notebook and an HTML page. The server and the kernel are always stopped, also after an error or Ctrl-C.
 * @param {string} file absolute path of the notebook
 * @param {string} target folder for the two results
 * @returns {Promise<number>} 0 when every cell succeeded
 */
export async function runHeadless(file, target) {
  const notebook = readNotebook(file);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const server = await startLabServer({ folder: dirname(file) });
    let succeeded;
    try {
      succeeded = await runCells(notebook, server, basename(file), interruption.signal);
    } finally {
      await server.stop();
    }
    const results = await writeResults(notebook, target, basename(file, '.ipynb'));
    console.log(`wrote ${results.map(result => relative(root, result)).join(' and ')}`);
    return succeeded ? 0 : 1;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** @param {string} file @returns {Notebook} */
function readNotebook(file) {
  try {
    const notebook = JSON.parse(readFileSync(file, 'utf8'));
    if (notebook.nbformat === 4 && Array.isArray(notebook.cells)) return notebook;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new SetupFailure(
      `The notebook ${file} cannot be read (${error.message}): name an .ipynb file of format 4.`
    );
  }
  throw new SetupFailure(`${file} is not a notebook of format 4: open it in JupyterLab and save it again.`);
}

/**
 * @param {Notebook} notebook outputs and metadata are filled in
 * @param {import('./server.mjs').LabServer} server
 * @param {string} path of the notebook, below the server's root
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether every cell succeeded
 */
async function runCells(notebook, server, path, signal) {
  // A dynamic import: the set-up may only now have compiled it.
  const { OutputCollector } = await import('../../kernel/cli/run/outputs.ts');
  const { WidgetStateCollector } = await import('../../kernel/cli/run/widget-state.ts');
  const outputs = new OutputCollector();
  const widgets = new WidgetStateCollector();
  const kernelName = notebook.metadata['kernelspec']?.name ?? 'stridelab';
  const start = performance.now();
  const { client, close } = await KernelClient.open(server, {
    path,
    kernelName,
    onOutput: ({ header, parent_header, content, buffers }) => {
      const message = { type: header.msg_type, parentId: parent_header.msg_id ?? '', content, buffers };
      outputs.receive(message);
      widgets.receive(message);
    }
  });
  const interrupted = new Promise((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new SetupFailure('Interrupted: the server and the kernel are stopped.'))
    );
  });
  interrupted.catch(() => {});
  try {
    const { reply: info } = await Promise.race([
      client.request('shell', 'kernel_info_request', {}, { timeout: KERNEL_TIMEOUT_MS }),
      interrupted
    ]);
    notebook.metadata['language_info'] = info.content['language_info'];
    console.log(`kernel "${kernelName}" answered after ${(performance.now() - start).toFixed(0)} ms`);
    const code = notebook.cells.filter(cell => cell.cell_type === 'code');
    let succeeded = true;
    for (const [i, cell] of code.entries()) {
      succeeded = await Promise.race([runCell(cell, i + 1, client, outputs, signal), interrupted]);
      if (!succeeded) {
        console.log(`cell ${i + 1} of ${code.length} failed; cells not run: ${code.length - i - 1}`);
        break;
      }
    }
    const state = widgets.metadata();
    if (state !== undefined) notebook.metadata['widgets'] = state;
    return succeeded;
  } finally {
    await close();
  }
}

/**
 * @param {Cell} cell
 * @param {number} number among the code cells, from 1
 * @param {KernelClient} client
 * @param {OutputCollector} outputs
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether it succeeded; a cell tagged `raises-exception` may fail, as in nbclient
 */
async function runCell(cell, number, client, outputs, signal) {
  const source = [cell.source].flat().join('');
  const start = performance.now();
  /** @type {number | undefined} */
  let elapsed;
  /** @type {string | undefined} */
  let problem;
  try {
    const { reply, kernelMs } = await client.request(
      'shell',
      'execute_request',
      {
        code: source,
        silent: false,
        store_history: true,
        user_expressions: {},
        allow_stdin: false,
        stop_on_error: true
      },
      { timeout: CELL_TIMEOUT_MS, onSent: id => (cell.outputs = outputs.collect(id)) }
    );
    const { content } = reply;
    elapsed = kernelMs;
    cell.execution_count = content['execution_count'] ?? null;
    if (content['status'] !== 'ok') problem = `${content['ename']}: ${content['evalue']}`;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  if (signal.aborted) return false;
  const expected = problem !== undefined && cell.metadata.tags?.includes('raises-exception') === true;
  const time = `${(elapsed ?? performance.now() - start).toFixed(1)} ms`.padStart(11);
  const title = source.split('\n').find(line => line.trim() !== '') ?? '';
  const verdict = problem === undefined || expected ? 'ok    ' : 'FAILED';
  console.log(`[${number}]`.padEnd(5) + `${time}  ${verdict}  ${title.slice(0, TITLE_LENGTH)}`);
  if (problem === undefined || expected) return true;
  console.log(`        ${problem}`);
  return false;
}

/**
 * Writes the notebook with the widgets' state, and the page without it: a page has neither a kernel nor the widgets'
 * code, so it shows the static pictures of the same outputs.
 * @param {Notebook} notebook
 * @param {string} target
 * @param {string} name
 * @returns {Promise<string[]>}
 */
async function writeResults(notebook, target, name) {
  // Unique to this process, so that concurrent runs of the same notebook do not conflict.
  const work = join(paths.build, 'jupyter', `pages-${process.pid}`);
  mkdirSync(work, { recursive: true });
  mkdirSync(target, { recursive: true });
  const results = ['ipynb', 'html'].map(ending => join(target, `${name}.${ending}`));
  writeFileSync(/** @type {string} */ (results[0]), `${JSON.stringify(notebook, null, 1)}\n`);
  const { widgets: _, ...metadata } = notebook.metadata;
  const source = join(work, `${name}.ipynb`);
  writeFileSync(source, JSON.stringify({ ...notebook, metadata }));
  await runStep(
    'nbconvert',
    paths.python,
    ['-m', 'nbconvert', '--to', 'html', '--allow-errors', '--output-dir', target, source],
    { env: privateEnvironment(''), fix: 'see the message above.' }
  );
  rmSync(work, { recursive: true });
  return results;
}
