import { field, KernelClient, WITHOUT_TYPES, type Content, type Message } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

let id: string;

withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  const { messages } = await kernel.execute(`
    import { inspect, zeros } from 'stridelab';
    const watched = zeros([4, 4]);
    inspect(watched);
    await new Promise(r => setTimeout(r, 100));`);
  const open = messages.find(({ type }) => type === 'comm_open');
  id = field(open, 'content', 'comm_id');
});

/** Sends a widget message as a page does, and waits until it has been handled. */
async function tell(data: Content): Promise<void> {
  await kernel.idle(kernel.send('shell', 'comm_msg', { comm_id: id, data }));
}

function response(to: number): Promise<Message> {
  return kernel.published(
    ({ type, content }) => type === 'comm_msg' && field(content, 'data', 'content', 'id') === to
  );
}

function update(lifetime: string): Promise<Message> {
  return kernel.published(
    ({ content }) => field(content, 'data', 'method') === 'update' && lifetimeOf(content) === lifetime
  );
}

const lifetimeOf = (content: Content): unknown => field(content, 'data', 'state', 'picture', 'lifetime');

test('opens a model with every key that pages need, then shows it', async () => {
  const open = await kernel.published(({ type }) => type === 'comm_open');
  expect(open.metadata).toEqual({ version: '2.1.0' });
  expect(open.content).toMatchObject({ target_name: 'jupyter.widget', data: { buffer_paths: [] } });
  expect(field(open.content, 'data', 'state')).toMatchObject({
    _model_module: 'stridelab',
    _model_module_version: expect.stringMatching(/^\^\d/) as unknown,
    _model_name: 'ArrayInspectorModel',
    _view_name: 'ArrayInspectorView',
    _view_count: 0,
    description: '',
    picture: { lifetime: 'live', shape: [4, 4] }
  });
  const shown = await kernel.published(({ type }) => type === 'display_data');
  expect(field(shown.content, 'data')).toMatchObject({
    'application/vnd.jupyter.widget-view+json': { version_major: 2, version_minor: 0, model_id: id },
    'text/html': expect.any(String) as unknown,
    'text/plain': expect.any(String) as unknown
  });
});

test('is described to a reloaded page', async () => {
  await kernel.idle(
    kernel.send('shell', 'comm_open', { comm_id: 'ctl', target_name: 'jupyter.widget.control', data: {} })
  );
  const request = kernel.send('shell', 'comm_msg', { comm_id: 'ctl', data: { method: 'request_states' } });
  await kernel.idle(request);
  const answer = kernel.iopub.find(({ type, parentId }) => type === 'comm_msg' && parentId === request);
  expect(field(answer, 'content', 'data')).toMatchObject({
    method: 'update_states',
    states: { [id]: { model_name: 'ArrayInspectorModel', model_module: 'stridelab' } },
    buffer_paths: []
  });
});

test('answers requests, and names those it does not know', async () => {
  await tell({ method: 'custom', content: { kind: 'request', id: 1, method: 'synchronize' } });
  expect(field((await response(1)).content, 'data', 'content')).toEqual({ kind: 'response', id: 1 });
  await tell({ method: 'custom', content: { kind: 'request', id: 2, method: 'bogus' } });
  expect(field((await response(2)).content, 'data', 'content', 'error')).toContain('bogus');
});

test('follows the array while a view shows it, until it is freed', async () => {
  await tell({ method: 'update', state: { _view_count: 1 }, buffer_paths: [] });
  await kernel.execute('watched.dispose(); 0;');
  expect(lifetimeOf((await update('freed')).content)).toBe('freed');
});

test('is shown before its cell ends, also in the first cell of a session: programs that run notebooks keep nothing later', async () => {
  const first = await KernelClient.start('tcp', WITHOUT_TYPES);
  try {
    const { messages } = await first.execute(
      `import { inspect, zeros } from 'stridelab'; inspect(zeros(3));`
    );
    expect(messages.map(({ type }) => type)).toContain('display_data');
  } finally {
    await first.close();
  }
});

test('a value that cannot be shown is an error in its cell', async () => {
  const { messages } = await kernel.execute(`
    const failing = zeros(3);
    Object.defineProperty(failing, 'dtype', { get() { throw new RangeError('no dtype today'); } });
    inspect(failing);`);
  const error = messages.find(({ type }) => type === 'error');
  expect(field(error, 'content', 'evalue')).toBe('no dtype today');
});
