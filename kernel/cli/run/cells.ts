/** Runs the code cells in order, stops at the first that fails, and passes Ctrl-C on to the kernel. */

import { originMetadata, type CellOrigin } from '../../protocol/cell-origin.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import type { KernelSession } from './kernel-session.ts';
import { sourceOf, type Cell, type Notebook } from './notebook-file.ts';
import type { OutputCollector } from './outputs.ts';
import type { Terminal } from './terminal.ts';
import type { TypeFindings } from './type-findings.ts';

const EXPECTED_ERROR_TAG = 'raises-exception';
/** Time after which the kernel of a cell that an interrupt does not stop is killed. */
const INTERRUPT_GRACE_MS = 5_000;
/** Interval of interrupts: one that arrives while the cell is being compiled has nothing to stop. */
const INTERRUPT_PERIOD_MS = 500;

export type RunResult = 'succeeded' | 'failed' | 'interrupted';

export interface CellOptions {
  readonly allowErrors?: boolean;
  /** Timeout in seconds. */
  readonly timeout?: number;
}

export interface CellProblem {
  readonly text: string;
  /** Whether the cell has the tag with which nbclient marks expected errors. */
  readonly expected: boolean;
}

/** The kernel that runs the cells, and the receivers of its output. */
export interface Run {
  readonly session: KernelSession;
  readonly outputs: OutputCollector;
  readonly terminal: Terminal;
  readonly types: TypeFindings;
  /** Places of the cells of a script. */
  readonly origins: ReadonlyMap<Cell, CellOrigin>;
  /** Whether the run ends as a program does: after its timers, and with status 1 for a type error or an unhandled error. */
  readonly isProgram: boolean;
}

export async function runCells(notebook: Notebook, run: Run, options: CellOptions): Promise<RunResult> {
  const { session, terminal, types } = run;
  const code = notebook.cells.filter(cell => cell.cell_type === 'code');
  for (const cell of code) Object.assign(cell, { outputs: [], execution_count: null });
  let [interrupted, failed] = [false, false];
  let stopWaiting: () => void = () => {};
  const interruption = new Promise<undefined>(resolve => (stopWaiting = () => resolve(undefined)));
  const interrupt = (): void => {
    // The user does not want to wait after a second Ctrl-C.
    if (interrupted) session.kill();
    interrupted = true;
    stopWaiting();
    void session.interrupt().catch(() => {});
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    for (const [i, cell] of code.entries()) {
      const start = performance.now();
      terminal.started(cell, i);
      const problem = await runCell(cell, run, options);
      terminal.finished(cell, i, performance.now() - start, problem);
      if (interrupted) return 'interrupted';
      if (problem === undefined || problem.expected) continue;
      failed = true;
      if (options.allowErrors === true) continue;
      terminal.stopped(code.length - i - 1);
      break;
    }
    const work = run.isProgram && !failed;
    const settled = await Promise.race([
      session.request('control', 'settle_request', { work }),
      interruption
    ]);
    if (interrupted) return 'interrupted';
    failed ||= run.isProgram && (types.failed || settled?.['errors'] !== 0);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  return failed ? 'failed' : 'succeeded';
}

async function runCell(
  cell: Cell,
  { session, outputs, origins }: Run,
  { timeout }: CellOptions
): Promise<CellProblem | undefined> {
  const origin = origins.get(cell);
  const content = {
    code: sourceOf(cell),
    silent: false,
    store_history: true,
    user_expressions: {},
    allow_stdin: true,
    stop_on_error: true
  };
  let late = false;
  const timers: NodeJS.Timeout[] = [];
  if (timeout !== undefined) {
    const interrupt = (): void => {
      late = true;
      const ask = (): void => void session.interrupt().catch(() => {});
      ask();
      timers.push(
        setInterval(ask, INTERRUPT_PERIOD_MS),
        setTimeout(() => session.kill(), INTERRUPT_GRACE_MS)
      );
    };
    timers.push(setTimeout(interrupt, timeout * 1000));
  }
  let reply: JsonObject;
  try {
    reply = await session.request('shell', 'execute_request', content, {
      ...(origin === undefined ? {} : { metadata: originMetadata(origin) }),
      onSent: id => {
        cell.outputs = outputs.collect(id);
      }
    });
  } finally {
    timers.forEach(clearTimeout);
  }
  cell.execution_count = (reply['execution_count'] as number | null | undefined) ?? null;
  if (reply['status'] === 'ok') return undefined;
  const text = late
    ? `The cell took longer than ${timeout} s and was interrupted`
    : `${String(reply['ename'])}: ${String(reply['evalue'])}`;
  return { text, expected: !late && cell.metadata.tags?.includes(EXPECTED_ERROR_TAG) === true };
}
