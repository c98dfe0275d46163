/** How a page handles the kernel's response, for every order in which messages may arrive. */

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { resumeCells } from '../../../labextension/src/notebook/resumed-cells.ts';
import type { CellRun, OutputMessage } from '../../../src/notebook/cell-outputs.ts';

type Message = KernelMessage.IIOPubMessage;
type Hook = (message: Message) => boolean;

class FakeFuture {
  onIOPub: (message: Message) => void = () => undefined;
  hook: Hook = () => true;
  isDisposed = false;
  resolve!: (reply: object) => void;
  reject!: (error: Error) => void;
  readonly done = new Promise<object>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  registerMessageHook(hook: Hook): void {
    this.hook = hook;
  }
}

/** A cell that records the outputs that it receives. */
class FakeCell {
  readonly shown: string[] = [];
  readonly model = {
    id: '',
    type: 'code',
    executionState: 'idle',
    executionCount: 7 as number | null,
    trusted: false,
    sharedModel: { transact: (change: () => void) => change() },
    clearExecution: () => {
      this.shown.length = 0;
      this.model.executionCount = null;
    }
  };
  readonly outputArea: { future?: FakeFuture; model: { add(output: { text: string }): void } };
  isDisposed = false;

  constructor(id: string, type = 'code') {
    Object.assign(this.model, { id, type });
    let current: FakeFuture | undefined;
    const { shown } = this;
    this.outputArea = {
      get future() {
        return current!;
      },
      set future(future: FakeFuture) {
        current = future;
        future.onIOPub = ({ header, content }) => {
          shown.push(
            `${header.msg_type}: ${JSON.stringify((content as { data?: unknown }).data ?? content)}`
          );
        };
      },
      model: { add: ({ text }) => shown.push(text) }
    };
  }
}

class FakeKernel {
  readonly clientId = 'this page';
  readonly username = '';
  readonly iopubMessage = new Signal<this, Message>(this);
  /** Requests by type, in order. */
  readonly sent: { readonly type: string; readonly id: string; readonly future: FakeFuture }[] = [];

  sendControlMessage({ header }: { header: { msg_type: string; msg_id: string } }): FakeFuture {
    const future = new FakeFuture();
    this.sent.push({ type: header.msg_type, id: header.msg_id, future });
    return future;
  }

  publish(number: number, parent: string, { type, content, metadata }: OutputMessage): void {
    const header = { msg_id: `kernel_${number}`, msg_type: type };
    const message = { header, parent_header: { msg_id: parent }, content, metadata } as unknown as Message;
    // Like JupyterLab: first to the future, if there is one and it accepts the message.
    const future = this.sent.find(({ type, id }) => type === 'follow_cell_request' && id === parent)?.future;
    if (type !== 'update_display_data' && future?.hook(message)) future.onIOPub(message);
    this.iopubMessage.emit(message);
  }
}

const text = (text: string): OutputMessage => ({
  type: 'stream',
  content: { name: 'stdout', text },
  metadata: {}
});
const display = (data: string, display_id: string, type = 'display_data'): OutputMessage => ({
  type,
  content: { data, metadata: {}, transient: { display_id } },
  metadata: {}
});
const said = (text: string): string => `stream: ${JSON.stringify({ name: 'stdout', text })}`;
const runOf = (id: string, more: Partial<CellRun> = {}): CellRun => ({
  id,
  cell_id: `cell ${id}`,
  session: 'the page before',
  ended: null,
  latest: null,
  shortened: false,
  messages: [],
  ...more
});

let kernel: FakeKernel;
let cells: FakeCell[];
let content: { widgets: FakeCell[]; isDisposed: boolean };
beforeEach(() => {
  kernel = new FakeKernel();
  cells = ['cell a', 'cell b'].map(id => new FakeCell(id));
  content = { widgets: [...cells, new FakeCell('cell text', 'markdown')], isDisposed: false };
});

const SAVED = '2026-01-01T12:00:00Z';

/** `before` runs after the page's request and before the response. */
async function resume(runs: readonly CellRun[], before: () => void = () => undefined): Promise<void> {
  const panel = { content, context: { model: {}, contentsModel: { last_modified: SAVED } } };
  const done = resumeCells(panel as unknown as NotebookPanel, kernel as unknown as Kernel.IKernelConnection);
  before();
  kernel.sent[0]!.future.resolve({ content: { status: 'ok', runs } });
  await done;
}

const followed = (): string[] => kernel.sent.slice(1).map(({ id }) => id);

test('earlier output is shown, then later output; the cell is running until the reply', async () => {
  await resume([runOf('a', { latest: 'kernel_4', messages: [text('early')] })]);
  const [{ model, shown, outputArea }] = cells as [FakeCell];
  expect([model.executionState, model.executionCount, model.trusted]).toEqual(['running', null, true]);
  kernel.publish(5, 'a', text('late'));
  expect(shown).toEqual([said('early'), said('late')]);
  outputArea.future!.resolve({ content: { execution_count: 3 } });
  await outputArea.future!.done;
  await Promise.resolve();
  expect(model.executionCount).toBe(3);
  expect(cells[1]!.model.executionCount).toBe(7);
});

test('each message is shown exactly once, whenever the answer arrives', async () => {
  await resume([runOf('a', { latest: 'kernel_2', messages: [text('12')] })], () => {
    kernel.publish(2, 'a', text('2'));
    kernel.publish(3, 'a', text('3'));
    kernel.publish(4, 'b', text('of another'));
  });
  // Late messages that the response already contained, and new ones.
  kernel.publish(1, 'a', text('1'));
  kernel.publish(10, 'a', text('10'));
  expect(cells[0]!.shown).toEqual([said('12'), said('3'), said('10')]);
});

test('output whose beginning was dropped is marked', async () => {
  await resume([runOf('a', { latest: 'kernel_2', shortened: true, messages: [text('end')] })]);
  expect(cells[0]!.shown).toEqual([expect.stringContaining('too long to keep'), said('end')]);
});

test('displays are updated by later messages, also of other cells', async () => {
  const messages = [display('0', 'x'), text('between'), display('1', 'x')];
  await resume([
    runOf('a', { latest: 'kernel_3', messages }),
    runOf('b', { latest: 'kernel_4', messages: [display('2', 'x', 'update_display_data')] })
  ]);
  expect(cells[0]!.shown).toEqual([
    'display_data: "0"',
    said('between'),
    'update_display_data: "1"',
    'display_data: "1"',
    'update_display_data: "2"'
  ]);
  kernel.publish(4, 'b', display('2', 'x', 'update_display_data'));
  kernel.publish(5, 'c', display('3', 'x', 'update_display_data'));
  kernel.publish(6, 'c', display('of another id', 'y', 'update_display_data'));
  expect(cells[0]!.shown.slice(5)).toEqual(['update_display_data: "3"']);
  expect(cells[1]!.shown).toEqual([]);
  cells[0]!.outputArea.future!.isDisposed = true;
  kernel.publish(7, 'c', display('4', 'x', 'update_display_data'));
  expect(cells[0]!.shown).toHaveLength(6);
});

test('ignored: runs of this page, of missing cells and cells without code, and saved runs', async () => {
  await resume([
    runOf('a', { session: 'this page' }),
    runOf('unknown'),
    runOf('text'),
    runOf('b', { ended: '2026-01-01T11:59:58Z' })
  ]);
  expect(followed()).toEqual([]);
  expect(cells.map(({ model }) => model.executionCount)).toEqual([7, 7]);
});

test('a run that ended after the save is shown', async () => {
  await resume([runOf('b', { ended: '2026-01-01T12:00:01Z', latest: 'kernel_1', messages: [text('all')] })]);
  expect(followed()).toEqual(['b']);
  expect(cells[1]!.shown).toEqual([said('all')]);
});

test('when the run is cancelled the cell becomes idle; one that runs again, or was removed, is not touched', async () => {
  await resume([runOf('a'), runOf('b')]);
  const [first, second] = cells as [FakeCell, FakeCell];
  const futures = cells.map(({ outputArea }) => outputArea.future!);
  second.outputArea.future = new FakeFuture();
  for (const future of futures) future.reject(new Error('Canceled'));
  await Promise.allSettled(futures.map(({ done }) => done));
  await Promise.resolve();
  expect([first.model.executionState, second.model.executionState]).toEqual(['idle', 'running']);
});

test('a notebook that several pages edit together is not touched', async () => {
  await resumeCells(
    { content, context: { model: { collaborative: true } } } as unknown as NotebookPanel,
    kernel as unknown as Kernel.IKernelConnection
  );
  expect(kernel.sent).toEqual([]);
});

test('a kernel or a notebook that is disposed before the answer resumes nothing', async () => {
  await resume([runOf('a')], () => kernel.sent[0]!.future.reject(new Error('Canceled')));
  content.isDisposed = true;
  kernel.sent.length = 0;
  await resume([runOf('a')]);
  expect(followed()).toEqual([]);
  expect(cells[0]!.model.executionCount).toBe(7);
});
