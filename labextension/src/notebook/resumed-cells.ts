/**
 * Cells that were running or queued when the page was loaded. Every page receives a run's output, but JupyterLab shows
 * it only in the page that requested the run. These cells receive the output they missed, and then follow the run.
 */

import type { CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage, type Kernel } from '@jupyterlab/services';
import {
  CELL_OUTPUTS_REQUEST,
  FOLLOW_CELL_REQUEST,
  type CellOutputsContent,
  type CellRun,
  type OutputMessage
} from '../../../src/notebook/cell-outputs.ts';
import { isSaved } from '../../../src/notebook/resumable-runs.ts';

type Message = KernelMessage.IIOPubMessage;
type Connection = Kernel.IKernelConnection;
type Future = CodeCell['outputArea']['future'];

const SHORTENED =
  'The beginning of this output was dropped: it was too long to keep while the page reloaded.\n';

export async function resumeCells({ content, context }: NotebookPanel, kernel: Connection): Promise<void> {
  // If several pages edit the notebook together, one of them already has the output.
  if (context.model.collaborative === true) return;
  // The kernel's answer may or may not include these.
  const early: Message[] = [];
  const keep = (_kernel: unknown, message: Message): void => void early.push(message);
  kernel.iopubMessage.connect(keep);
  // A kernel that exits during the request has nothing to resume.
  const reply = await send(kernel, CELL_OUTPUTS_REQUEST).done.catch(() => undefined);
  kernel.iopubMessage.disconnect(keep);
  if (reply === undefined || content.isDisposed) return;
  const saved = context.contentsModel?.last_modified;
  const cells: ResumedCell[] = [];
  const { runs } = reply.content as unknown as CellOutputsContent;
  const known = Math.max(...runs.map(({ latest }) => numberOf(latest ?? '')));
  for (const run of runs) {
    const cell = content.widgets.find(({ model }) => model.id === run.cell_id);
    if (cell?.model.type !== 'code' || run.session === kernel.clientId || isSaved(run.ended, saved)) continue;
    cells.push(new ResumedCell(cell as CodeCell, run, kernel, known));
  }
  for (const cell of cells) cell.show(early, cells);
}

class ResumedCell {
  readonly #cell: CodeCell;
  readonly #kernel: Connection;
  readonly #run: CellRun;
  readonly #future: Future;
  /** The number of the latest message in the kernel's answer. */
  readonly #known: number;
  /** Displays in the answer. JupyterLab does not know them, so it would drop their updates. */
  readonly #displays = new Set<string>();

  constructor(cell: CodeCell, run: CellRun, kernel: Connection, known: number) {
    const { model, outputArea } = (this.#cell = cell);
    this.#kernel = kernel;
    this.#run = run;
    this.#known = known;
    model.sharedModel.transact(() => model.clearExecution(), false);
    model.executionState = 'running';
    // As when the page runs the cell.
    model.trusted = true;
    this.#future = send(kernel, FOLLOW_CELL_REQUEST, run.id);
    outputArea.future = this.#future;
    this.#future.registerMessageHook(message => this.#isNew(message));
    kernel.iopubMessage.connect(this.#update);
    void this.#end();
  }

  /** Shows the earlier output, in this cell and in those of `cells` that contain the same displays. */
  show(early: readonly Message[], cells: readonly ResumedCell[]): void {
    const { id, messages, shortened } = this.#run;
    if (shortened)
      this.#cell.outputArea.model.add({ output_type: 'stream', name: 'stderr', text: SHORTENED });
    const before = messages.map(message => toMessage(message, this.#run, this.#kernel));
    const meanwhile = early.filter(message => parentOf(message) === id && this.#isNew(message));
    for (const message of [...before, ...meanwhile]) {
      const display = displayOf(message);
      if (display !== undefined) for (const cell of cells) cell.#updateDisplay(message, display);
      if (message.header.msg_type === 'update_display_data') continue;
      if (display !== undefined) this.#displays.add(display);
      void this.#future.onIOPub(message);
    }
  }

  #isNew({ header }: Message): boolean {
    return numberOf(header.msg_id) > this.#known;
  }

  readonly #update = (_kernel: unknown, message: Message): void => {
    if (this.#future.isDisposed) return void this.#kernel.iopubMessage.disconnect(this.#update);
    const id = displayOf(message);
    if (id !== undefined && this.#isNew(message)) this.#updateDisplay(message, id);
  };

  #updateDisplay(message: Message, id: string): void {
    if (!this.#displays.has(id)) return;
    const header = { ...message.header, msg_type: 'update_display_data' };
    void this.#future.onIOPub({ ...message, header } as KernelMessage.IUpdateDisplayDataMsg);
  }

  async #end(): Promise<void> {
    const cell = this.#cell;
    const isShown = (): boolean => !cell.isDisposed && cell.outputArea.future === this.#future;
    try {
      const { content } = await this.#future.done;
      // This also ends the running state.
      if (isShown()) cell.model.executionCount = content.execution_count;
    } catch {
      // The kernel restarted or exited, or the page ran the cell again.
      if (isShown()) cell.model.executionState = 'idle';
    }
  }
}

/** Sends a control message, with casts for its custom type. The reply to FOLLOW_CELL_REQUEST is that of the `execute_request`. */
function send(kernel: Connection, type: string, msgId?: string): Future {
  const message = KernelMessage.createMessage({
    msgType: type as 'debug_request',
    channel: 'control',
    session: kernel.clientId,
    username: kernel.username,
    content: {} as never,
    ...(msgId === undefined ? {} : { msgId })
  });
  return kernel.sendControlMessage(message, true, msgId === undefined) as unknown as Future;
}

function toMessage(
  { type, content, metadata }: OutputMessage,
  { id, latest }: CellRun,
  kernel: Connection
): Message {
  const { clientId: session, username } = kernel;
  const header = { msg_id: latest, msg_type: type, session, username, date: '', version: '5.5' };
  return {
    header,
    parent_header: { ...header, msg_id: id },
    metadata,
    content,
    channel: 'iopub'
  } as unknown as Message;
}

/** Parses the number of a kernel message id, SESSION_NUMBER. */
function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('_') + 1));
}

function parentOf({ parent_header: parent }: Message): string | undefined {
  return 'msg_id' in parent ? parent.msg_id : undefined;
}

function displayOf({ content }: Message): string | undefined {
  return (content as { readonly transient?: { readonly display_id?: string } }).transient?.display_id;
}
