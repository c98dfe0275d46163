import { jest } from '@jest/globals';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import {
  ArraysModel,
  KernelArraysPool,
  type Source
} from '../../../labextension/src/sidebar/arrays-model.ts';
import { KernelArrays } from '../../../labextension/src/sidebar/kernel-arrays.ts';
import type { Sources } from '../../../labextension/src/sidebar/sources.ts';
import { change, entry } from './entries.ts';
import { FakeKernel } from './kernel.ts';

const WATCHED = { visible: true, period: 1000 };
const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));

async function watched(kernel: FakeKernel): Promise<KernelArrays> {
  const arrays = new KernelArrays(kernel.connection);
  arrays.watch(WATCHED);
  await turn();
  return arrays;
}

describe('one kernel', () => {
  test('no comm is opened before the panel is visible', async () => {
    const kernel = new FakeKernel('k');
    const arrays = new KernelArrays(kernel.connection);
    await turn();
    expect(kernel.comms).toEqual([]);
    arrays.watch(WATCHED);
    expect(kernel.comm.watches).toEqual([true]);
    arrays.watch(WATCHED);
    expect(kernel.comm.watches).toEqual([true]);
    arrays.watch({ visible: false });
    expect(kernel.comm.watches).toEqual([true, false]);
  });

  test('applies changes: new, changed and removed arrays, and a complete list', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    expect(arrays.state).toBe('loading');
    const [a, b] = [entry('a'), entry('b')];
    kernel.comm.push(change([a], { first: true, complete: false, truncated: true }));
    expect([arrays.state, arrays.entries.size, arrays.truncated]).toEqual(['loading', 1, true]);
    kernel.comm.push(change([b, { ...a, state: 'busy' }], { truncated: null }));
    expect([arrays.state, arrays.entries.get(a.id)?.state, arrays.truncated]).toEqual([
      'ready',
      'busy',
      true
    ]);
    kernel.comm.push(change([], { removed: [a.id] }));
    expect([...arrays.entries.keys()]).toEqual([b.id]);
    kernel.comm.push(change([a], { first: true }));
    expect([...arrays.entries.keys()]).toEqual([a.id]);
  });

  test('a newer kernel is reported, and its data is not interpreted', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    kernel.comm.push(change([entry('a')], { version: 99 }));
    expect([arrays.state, arrays.entries.size]).toEqual(['newer', 0]);
  });

  test('a kernel of another kind is ignored', async () => {
    const kernel = new FakeKernel('k', 'ipython');
    const arrays = await watched(kernel);
    expect([arrays.state, kernel.comms.length]).toEqual(['foreign', 0]);
    await expect(arrays.request('free', {})).rejects.toThrow('not connected');
  });

  test('a connection that cannot open comms, and a kernel that closes it, are reported', async () => {
    const mute = new FakeKernel('k');
    mute.handleComms = false;
    expect((await watched(mute)).state).toBe('silent');
    const old = new FakeKernel('k');
    const arrays = await watched(old);
    old.comm.onClose();
    expect(arrays.state).toBe('silent');
  });

  test('a restart empties the list and opens a new comm', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    kernel.comm.push(change([entry('a')], { first: true }));
    const waiting = arrays.request('refresh', {});
    kernel.become('restarting');
    await expect(waiting).rejects.toThrow('restarted');
    expect([arrays.state, arrays.entries.size]).toEqual(['starting', 0]);
    kernel.become('idle');
    expect([kernel.comms.length, kernel.comm.watches]).toEqual([2, [true]]);
  });

  test('a wait has no timeout, and ends with the kernel', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    jest.useFakeTimers();
    try {
      const wait = arrays.request('synchronize', { device: 'sim:0' }, Infinity);
      const look = arrays.request('inspect', { stream: 3 });
      const silent = expect(look).rejects.toThrow('did not respond within 5 s');
      await jest.advanceTimersByTimeAsync(120_000);
      await silent;
      kernel.comm.answer('synchronize', { microseconds: 7 });
      expect(await wait).toEqual({ microseconds: 7 });
      const lost = expect(arrays.request('synchronize', { device: 'sim:0' }, Infinity)).rejects.toThrow(
        'kernel has exited'
      );
      await jest.advanceTimersByTimeAsync(0);
      kernel.become('dead');
      await lost;
    } finally {
      jest.useRealTimers();
    }
  });

  test('an exited kernel has no arrays', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    kernel.comm.push(change([entry('a')], { first: true }));
    kernel.become('dead');
    expect([arrays.state, arrays.entries.size]).toEqual(['exited', 0]);
    // The connection is then disposed and cannot open comms; the session still holds it, and the panel queries it again.
    kernel.status = 'unknown';
    kernel.handleComms = false;
    kernel.dispose();
    expect((await watched(kernel)).state).toBe('exited');
  });

  test('after a disconnection the changes are requested; meanwhile the list stays, marked as old', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    kernel.comm.push(change([entry('a')], { first: true }));
    let changes = 0;
    arrays.changed.connect(() => (changes += 1));
    kernel.connect('connecting');
    expect([arrays.offline, arrays.state, arrays.entries.size, changes]).toEqual([true, 'ready', 1, 1]);
    await expect(arrays.request('refresh', {})).rejects.toThrow('server connection is lost');
    expect(kernel.comm.watches).toEqual([true]);
    kernel.connect('connected');
    expect(kernel.comm.watches).toEqual([true, true]);
    expect(arrays.offline).toBe(false);
  });

  test('requests are answered, with the kernel’s message if they fail', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    const freed = arrays.request('free', { ids: [1] });
    kernel.comm.answer('free', { freed: 1, bytes: 4, remaining: [] });
    expect(await freed).toEqual({ freed: 1, bytes: 4, remaining: [] });
    const failed = arrays.request('inspect', { id: 1 });
    kernel.comm.refuse('inspect', 'No variable holds this array');
    await expect(failed).rejects.toThrow('No variable holds');
  });

  test('a request can be made before the kernel has described itself', async () => {
    const kernel = new FakeKernel('k');
    const summary = new KernelArrays(kernel.connection).request('summary', {});
    await turn();
    kernel.comm.answer('summary', { arrays: 1, bytes: 4 });
    expect(await summary).toEqual({ arrays: 1, bytes: 4 });
  });

  test('disposing closes the comm and ends pending requests', async () => {
    const kernel = new FakeKernel('k');
    const arrays = await watched(kernel);
    const waiting = arrays.request('refresh', {});
    arrays.dispose();
    await expect(waiting).rejects.toThrow('exited');
    expect(kernel.comm.closed).toBe(true);
  });
});

class FakeSession {
  session: { kernel: FakeKernel | null } | null;
  /** Whether a kernel was requested that has not started. */
  pending = false;
  readonly path: string;
  readonly kernelChanged = new Signal<this, void>(this);
  readonly statusChanged = new Signal<this, void>(this);
  readonly propertyChanged = new Signal<this, void>(this);

  constructor(path: string, kernel: FakeKernel | null) {
    this.path = path;
    this.session = { kernel };
  }

  get hasNoKernel(): boolean {
    return this.session?.kernel === null && !this.pending;
  }
}

function source(path: string, kernel: FakeKernel | null): Source & { readonly context: FakeSession } {
  const context = new FakeSession(path, kernel);
  return {
    widget: new Widget(),
    context,
    sessionContext: context as unknown as ISessionContext,
    rendermime: {} as IRenderMimeRegistry,
    insert: () => undefined
  };
}

describe('the panel', () => {
  let kernels: FakeKernel[];
  let sources: ReturnType<typeof source>[];
  let pool: KernelArraysPool;
  let model: ArraysModel;

  beforeEach(() => {
    kernels = ['a', 'b'].map(id => new FakeKernel(id));
    sources = kernels.map(kernel => source(`${kernel.id}.ipynb`, kernel));
    pool = new KernelArraysPool({ all: () => sources } as Partial<Sources> as Sources);
    model = new ArraysModel(pool);
  });
  afterEach(() => {
    model.dispose();
    pool.dispose();
  });

  test('opens no comm while it is hidden', async () => {
    model.source = sources[0]!;
    await turn();
    expect(kernels[0]!.comms).toEqual([]);
    model.visible = true;
    await turn();
    expect(kernels[0]!.comm.watches).toEqual([true]);
    model.visible = false;
    expect(kernels[0]!.comm.watches).toEqual([true, false]);
  });

  test('switches from one notebook to another', async () => {
    model.visible = true;
    model.source = sources[0]!;
    await turn();
    kernels[0]!.comm.push(change([entry('x')], { first: true }));
    expect([model.absence, model.entries.length]).toEqual([null, 1]);
    model.source = sources[1]!;
    await turn();
    expect(kernels[0]!.comm.watches).toEqual([true, false]);
    expect([model.absence, model.entries.length]).toEqual(['loading', 0]);
    kernels[1]!.comm.push(change([], { first: true }));
    expect(model.absence).toBe('empty');
  });

  test("follows a change of the notebook's kernel", async () => {
    model.visible = true;
    model.source = sources[0]!;
    await turn();
    const newer = new FakeKernel('newer');
    sources[0]!.context.session = { kernel: newer };
    kernels[0]!.dispose();
    sources[0]!.context.kernelChanged.emit();
    await turn();
    expect(newer.comm.watches).toEqual([true]);
    expect(kernels[0]!.comm.closed).toBe(false);
  });

  test('shows why there is no list', () => {
    model.visible = true;
    expect(model.absence).toBe('no-source');
    sources.push(source('none.ipynb', null));
    model.source = sources[2]!;
    expect(model.absence).toBe('no-kernel');
    sources[2]!.context.pending = true;
    expect(model.absence).toBe('starting');
    model.source = null;
    expect(model.absence).toBe('no-source');
  });

  test('of two connections to one kernel it uses the one that can open comms', async () => {
    const second = new FakeKernel('a');
    second.handleComms = false;
    sources.push(source('console', second));
    model.visible = true;
    model.source = sources[2]!;
    await turn();
    expect([second.comms.length, kernels[0]!.comm.watches]).toEqual([0, [true]]);
  });
});
