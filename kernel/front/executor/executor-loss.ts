/** The error shown to the user when the process that runs the cells has ended unexpectedly. */

import { formatCounted } from '../../../src/base/count-text.ts';
import type { ErrorContent } from '../../protocol/messages.ts';

/** How the process ended; either `code` or `signal` is set, unless the process could not be started. */
export interface ExecutorEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly failure?: string;
  /** The last text that the process wrote to stderr from outside JavaScript. */
  readonly lastWords: string;
}

export interface ExecutorLoss {
  /** Label of the cell that was running, or else of the last one; undefined before the first cell. */
  readonly cell: string | undefined;
  readonly variables: number;
  /** Number of open comms, most of which are widgets. */
  readonly widgets: number;
  /** Whether a new process was started; if not, the next cell starts one. */
  readonly replaced: boolean;
  /** Undefined if the process never reported it. */
  readonly heapLimitMiB: number | undefined;
}

/** Environment variable: the heap limit of the process that runs the cells, in MiB. */
export const HEAP_VARIABLE = 'STRIDELAB_HEAP_MIB';

const SIGNAL_CAUSES: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGSEGV: 'native code accessed memory that it may not access',
  SIGBUS: 'native code accessed memory that is not mapped',
  SIGILL: 'native code ran an instruction that this processor does not have',
  SIGFPE: 'native code divided by zero',
  SIGABRT: 'native code or process.abort() aborted the process',
  SIGKILL: 'another process killed it, or the system ran out of memory'
};

export function executorDied(end: ExecutorEnd, loss: ExecutorLoss): ErrorContent {
  const lost = [
    `${formatCounted(loss.variables, 'variable')}${loss.widgets === 0 ? '' : ` and ${formatCounted(loss.widgets, 'widget')}`} lost`,
    loss.replaced ? 'a new process was started' : 'the next cell starts a new process'
  ].join('; ');
  return content(`The process that runs the cells ${howItEnded(end, loss)}${where(loss)}: ${lost}`);
}

/** Returns the error for cells of other shells whose process was replaced because of one cell. */
export function executorReplaced(): ErrorContent {
  return content('A cell of another shell ended the process that runs the cells; a new one replaces it');
}

function content(evalue: string): ErrorContent {
  return { ename: 'ExecutorDied', evalue, traceback: [`ExecutorDied: ${evalue}`] };
}

function howItEnded(
  { code, signal, failure, lastWords }: ExecutorEnd,
  { heapLimitMiB }: ExecutorLoss
): string {
  if (failure !== undefined) return `could not be started (${failure})`;
  if (lastWords.includes('JavaScript heap out of memory')) {
    const limit = heapLimitMiB === undefined ? 'its limit' : `its limit of ${heapLimitMiB} MiB`;
    return `ran out of memory, because its heap reached ${limit} (${HEAP_VARIABLE} in the kernel's environment sets another)`;
  }
  if (signal !== null) {
    const cause = SIGNAL_CAUSES[signal];
    return `was terminated by signal ${signal}${cause === undefined ? '' : ` (${cause})`}`;
  }
  return `ended with exit code ${code}`;
}

function where({ cell }: ExecutorLoss): string {
  return cell === undefined ? ' before the first cell' : ` in ${cell}`;
}
