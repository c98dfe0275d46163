import { jest } from '@jest/globals';
import { KernelChannel, REQUEST_TIMEOUT } from '../../../labextension/src/models/kernel-channel.ts';
import { useTranslator } from '../../../labextension/src/views/kit/phrases.ts';
import { PROGRAM_ENDED } from '../../../src/pictures/kit/live-messages.ts';
import { MODULE_NAME, MODULE_VERSION } from '../../../labextension/src/models/version.ts';
import { busy, live } from '../fixtures.ts';
import { RecordingComm, TestManager } from '../setup/widget-manager.ts';

const names = {
  model_name: 'ArrayInspectorModel',
  model_module: MODULE_NAME,
  model_module_version: `^${MODULE_VERSION}`,
  view_name: 'ArrayInspectorView',
  view_module: MODULE_NAME,
  view_module_version: `^${MODULE_VERSION}`
};

async function openWidget() {
  const manager = new TestManager();
  const comm = new RecordingComm('a1');
  const model = await manager.new_model({ ...names, comm, model_id: 'a1' }, { picture: live });
  const view = await manager.create_view(model);
  document.body.append(view.el);
  return { manager, comm, model, view, root: view.el };
}

const buttonNamed = (root: HTMLElement, label: string): HTMLButtonElement =>
  [...root.querySelectorAll('button')].find(button => button.textContent === label) as HTMLButtonElement;
const textOf = (root: HTMLElement, selector: string): string =>
  root.querySelector(selector)?.textContent ?? `no ${selector}`;

afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

test('defaults include every key, so that a kernel can send few', async () => {
  const { model } = await openWidget();
  expect(model.defaults()).toMatchObject({
    _model_module: 'stridelab',
    _model_name: 'ArrayInspectorModel',
    _view_module: 'stridelab',
    _view_name: 'ArrayInspectorView',
    description: '',
    picture: null
  });
});

test('a state update of the kernel reaches the view', async () => {
  const { comm, root } = await openWidget();
  expect(textOf(root, '.stridelab-strip')).toContain('idle');
  await comm.receive({ method: 'update', state: { picture: busy }, buffer_paths: [] });
  expect(textOf(root, '.stridelab-strip')).toContain('busy');
});

test('a tooltip without a description does not break the view', async () => {
  const { comm, root } = await openWidget();
  await comm.receive({ method: 'update', state: { tooltip: 'the array a' }, buffer_paths: [] });
  expect(root.title).toBe('the array a');
});

test('refresh sends a request, shows that it waits, and ends with the answer of the same id', async () => {
  const { comm, root } = await openWidget();
  const refresh = buttonNamed(root, 'Refresh');
  refresh.click();
  expect(comm.sent).toEqual([{ method: 'custom', content: { kind: 'request', id: 1, method: 'refresh' } }]);
  expect(refresh.getAttribute('aria-disabled')).toBe('true');
  expect(textOf(root, '[role=status]')).toBe('Refreshing…');

  await comm.receive({ method: 'custom', content: { kind: 'response', id: 99 } });
  expect(refresh.getAttribute('aria-disabled')).toBe('true');
  await comm.receive({ method: 'custom', content: { kind: 'response', id: 1 } });
  expect(refresh.hasAttribute('aria-disabled')).toBe(false);
  expect(textOf(root, '[role=status]')).toBe('Up to date, nothing changed.');
});

test('an update has priority over the confirmation of the request', async () => {
  const { comm, root } = await openWidget();
  buttonNamed(root, 'Synchronize').click();
  await comm.receive({ method: 'update', state: { picture: busy }, buffer_paths: [] });
  await comm.receive({ method: 'custom', content: { kind: 'response', id: 1 } });
  expect(textOf(root, '[role=status]')).toMatch(/^Changed: stream #1 is busy/);
});

test("the kernel's error is shown unchanged", async () => {
  const { comm, root } = await openWidget();
  buttonNamed(root, 'Synchronize').click();
  await comm.receive({
    method: 'custom',
    content: { kind: 'response', id: 1, error: 'The array is freed.' }
  });
  expect(textOf(root, '[role=status]')).toBe('The array is freed.');
  expect(root.querySelector('[role=status]')?.getAttribute('data-kind')).toBe('error');
});

test('a missing answer ends in a sentence after a timeout', async () => {
  const { root } = await openWidget();
  jest.useFakeTimers();
  buttonNamed(root, 'Refresh').click();
  await jest.advanceTimersByTimeAsync(REQUEST_TIMEOUT - 1);
  expect(textOf(root, '[role=status]')).toBe('Refreshing…');
  await jest.advanceTimersByTimeAsync(1);
  expect(textOf(root, '[role=status]')).toContain('did not respond within 5 s');
  expect(buttonNamed(root, 'Refresh').hasAttribute('aria-disabled')).toBe(false);
});

test("two views of one model do not take each other's answers", async () => {
  const { manager, model, comm, root } = await openWidget();
  const second = (await manager.create_view(model)).el;
  buttonNamed(root, 'Refresh').click();
  buttonNamed(second, 'Refresh').click();
  await comm.receive({ method: 'custom', content: { kind: 'response', id: 2, error: 'second' } });
  expect([textOf(root, '[role=status]'), textOf(second, '[role=status]')]).toEqual(['Refreshing…', 'second']);
});

test('without a kernel the picture is a snapshot, and the buttons give the reason', async () => {
  const manager = new TestManager();
  const model = await manager.new_model({ ...names, model_id: 'saved' }, { picture: live });
  const root = (await manager.create_view(model)).el;
  expect(textOf(root, '.stridelab-lifetime')).toContain('snapshot');
  const refresh = buttonNamed(root, 'Refresh');
  expect(refresh.getAttribute('aria-disabled')).toBe('true');
  const reason = root.querySelector(`#${refresh.getAttribute('aria-describedby') ?? ''}`);
  expect(reason?.textContent).toContain('No kernel');
});

test('a lost comm changes the badge, keeps the focus and ends the request', async () => {
  const { comm, model, root } = await openWidget();
  const refresh = buttonNamed(root, 'Refresh');
  refresh.focus();
  refresh.click();
  model.comm_live = false;
  await new Promise(resolve => setTimeout(resolve));
  expect(textOf(root, '.stridelab-lifetime')).toContain('snapshot');
  expect(textOf(root, '[role=status]')).toContain('The kernel has exited');
  expect(document.activeElement).toBe(refresh);
  refresh.click();
  expect(comm.sent).toHaveLength(1);
});

test.each<[string, (manager: TestManager, comm: RecordingComm) => void]>([
  ['was shut down', ({ kernel }) => kernel.disposed.emit()],
  [
    'was shut down, which ends its connection first and last',
    ({ kernel }) => {
      kernel.connectionStatusChanged.emit('disconnected');
      kernel.disposed.emit();
      kernel.connectionStatusChanged.emit('disconnected');
    }
  ],
  ['died', ({ kernel }) => kernel.statusChanged.emit('dead')],
  ['is restarted by the server', ({ kernel }) => kernel.statusChanged.emit('autorestarting')],
  ['reports that its program ended', (_manager, comm) => comm.closeFromKernel(PROGRAM_ENDED)]
])('the picture stays as a snapshot if the kernel %s', async (_name, end) => {
  const { manager, comm, model, root } = await openWidget();
  manager.kernel.statusChanged.emit('busy');
  expect(textOf(root, '.stridelab-lifetime')).toContain('live');
  end(manager, comm);
  expect(textOf(root, '.stridelab-lifetime')).toContain('snapshot');
  expect(root.isConnected).toBe(true);
  expect(manager.has_model(model.model_id)).toBe(true);
});

test('if the connection to the server is lost it says so, keeps its contents, sends nothing, and reconnects automatically', async () => {
  const { manager, comm, root } = await openWidget();
  const { connectionStatusChanged: way } = manager.kernel;
  const badge = (): string => textOf(root, '.stridelab-lifetime');
  const refresh = buttonNamed(root, 'Refresh');
  const values = textOf(root, '.stridelab-descriptor');
  refresh.focus();
  refresh.click();
  for (const status of ['connecting', 'disconnected']) {
    way.emit(status);
    await new Promise(resolve => setTimeout(resolve));
    expect(badge()).toBe('◌disconnected');
    expect(textOf(root, '[role=status]')).toContain('The server connection is lost');
    expect([textOf(root, '.stridelab-descriptor'), document.activeElement]).toEqual([values, refresh]);
    expect(refresh.getAttribute('aria-disabled')).toBe('true');
    expect(root.textContent).not.toContain('run the cell again');
  }
  refresh.click();
  expect(comm.sent).toHaveLength(1);
  way.emit('connected');
  expect(badge()).toBe('●live');
  refresh.click();
  expect(comm.sent).toHaveLength(2);
  // A kernel that died in between does not return with the connection.
  way.emit('connecting');
  manager.kernel.statusChanged.emit('dead');
  way.emit('connected');
  expect(badge()).toBe('◷snapshot');
});

test('a request on an offline channel fails immediately: a late answer would be outdated', async () => {
  const sent: unknown[] = [];
  const channel = new KernelChannel(request => void sent.push(request));
  channel.offline = true;
  await expect(channel.request('refresh')).rejects.toThrow('server connection is lost');
  expect(sent).toEqual([]);
});

describe('views are counted for the kernel', () => {
  const counts = (comm: RecordingComm): unknown[] =>
    comm.sent.flatMap(({ method, state }) =>
      method === 'update' ? [(state as { _view_count?: number })._view_count] : []
    );
  async function openCounted(views: number) {
    const manager = new TestManager();
    const comm = new RecordingComm('a1');
    const model = await manager.new_model(
      { ...names, comm, model_id: 'a1' },
      { picture: live, _view_count: views }
    );
    const show = async () => {
      const view = await manager.create_view(model);
      view.trigger('displayed');
      return view;
    };
    return { comm, model, show };
  }

  test('one by one, unless another page reports fewer', async () => {
    const { comm, model, show } = await openCounted(0);
    expect(counts(comm)).toEqual([]);
    const first = await show();
    const second = await show();
    expect(model.get('_view_count')).toBe(2);
    first.remove();
    expect(model.get('_view_count')).toBe(1);
    // A page that was loaded separately starts counting at zero: this one has a view.
    await comm.receive({ method: 'update', state: { _view_count: 0 }, buffer_paths: [] });
    expect(model.get('_view_count')).toBe(1);
    await comm.receive({ method: 'update', state: { _view_count: 3 }, buffer_paths: [] });
    expect(model.get('_view_count')).toBe(3);
    await comm.receive({ method: 'update', state: { _view_count: 1 }, buffer_paths: [] });
    second.remove();
    expect(model.get('_view_count')).toBe(0);
    (await show()).remove();
    expect(model.get('_view_count')).toBe(0);
  });

  test('a reloaded page withdraws what the page before reported', async () => {
    const { comm, model, show } = await openCounted(2);
    expect([model.get('_view_count'), counts(comm)]).toEqual([0, [0]]);
    await show();
    expect(model.get('_view_count')).toBe(1);
  });

  test('a view that was never displayed was never counted', async () => {
    const { manager, model } = await openWidget();
    model.set('_view_count', 0);
    (await manager.create_view(model)).remove();
    const shown = await manager.create_view(model);
    shown.trigger('displayed');
    expect(model.get('_view_count')).toBe(1);
  });
});

test('a model that the kernel closed is disposed, and ignores the kernel', async () => {
  const { manager, comm, model, root } = await openWidget();
  comm.closeFromKernel();
  await new Promise(resolve => setTimeout(resolve));
  expect(root.isConnected).toBe(false);
  expect(manager.has_model(model.model_id)).toBe(false);
  const heard: unknown[] = [];
  model.on('comm_live_update', () => heard.push('update'));
  manager.kernel.disposed.emit();
  expect(heard).toEqual([]);
});

test('saved state restores the same picture without a kernel', async () => {
  const { manager } = await openWidget();
  const saved = await manager.get_state();
  const restored = new TestManager();
  const [model] = await restored.set_state(saved);
  expect(model?.get('picture')).toEqual(live);
  expect(model?.comm_live).toBe(false);
});

test('a request that cannot be sent ends immediately, with a sentence of the page', async () => {
  jest.useFakeTimers();
  useTranslator({ load: () => ({ __: text => `¡${text}!` }) });
  try {
    const channel = new KernelChannel(() => {
      throw new Error('Cannot send');
    });
    await expect(channel.request('refresh')).rejects.toThrow(/^¡The kernel has exited.*!$/);
    expect(jest.getTimerCount()).toBe(0);
    const silent = new KernelChannel(() => undefined);
    const answer = silent.request('refresh');
    jest.advanceTimersByTime(REQUEST_TIMEOUT);
    await expect(answer).rejects.toThrow(/^¡The kernel did not respond within %1 s/);
  } finally {
    useTranslator(null);
  }
});

test('a model whose kernel has exited answers immediately that it has', async () => {
  const { model } = await openWidget();
  model.comm_live = false;
  const { channel } = model as unknown as { channel: KernelChannel };
  await expect(channel.request('refresh')).rejects.toThrow('The kernel has exited');
});

test('a tab that code selects opens in present and later views, and again after the user selected another', async () => {
  const { manager, comm, model, root } = await openWidget();
  const choose = (name: string, turn: number): Promise<void> =>
    comm.receive({ method: 'update', state: { tab: { name, turn } }, buffer_paths: [] });
  const selected = (from: HTMLElement): string | null | undefined =>
    from.querySelector('[role=tab][aria-selected=true]')?.textContent.trim();
  await choose('streams', 1);
  expect(selected(root)).toContain('Streams');
  const second = await manager.create_view(model);
  document.body.append(second.el);
  expect(selected(second.el)).toContain('Streams');
  root.querySelector<HTMLElement>('[role=tab]')?.click();
  expect(selected(root)).toContain('Descriptor');
  await choose('streams', 2);
  expect(selected(root)).toContain('Streams');
  await choose('bogus', 3);
  expect(selected(root)).toContain('Streams');
});
