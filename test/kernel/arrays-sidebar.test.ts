/** The sidebar's comm in a real kernel: updates after cells, beside a running cell, and without cost while no panel is visible. */

import type { ArraysChange } from '../../src/pictures/arrays/schema.ts';
import { pass } from '../setup/until.ts';
import { field, WITHOUT_TYPES, type Message } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

const COMM = 'arrays';

let lastRequest = 0;

withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  await kernel.execute(`
    import { zeros } from 'stridelab';
    const grid = zeros([8, 8]);
    const view = grid.slice(':2');
    const nested = { list: [zeros([3])], get lazy(): never { throw new Error('ran'); } };
    const trap = new Proxy({}, { ownKeys() { throw new Error('ran'); } });
    grid.synchronize();`);
  const open = kernel.send('shell', 'comm_open', {
    comm_id: COMM,
    target_name: 'stridelab.arrays',
    data: {}
  });
  await kernel.idle(open);
}, 60_000);

/** Returns the content of the response. */
async function request(method: string, parameters: object = {}): Promise<Record<string, unknown>> {
  lastRequest += 1;
  const id = lastRequest;
  kernel.send('shell', 'comm_msg', {
    comm_id: COMM,
    data: { kind: 'request', id, method, parameters }
  });
  const answer = await kernel.published(
    message => isOurs(message, 'response') && field(message.content, 'data', 'id') === id
  );
  return field(answer.content, 'data', 'content');
}

function isOurs({ type, content }: Message, kind: string): boolean {
  return type === 'comm_msg' && content['comm_id'] === COMM && field(content, 'data', 'kind') === kind;
}

function changes(): ArraysChange[] {
  return kernel.iopub
    .filter(message => isOurs(message, 'push'))
    .map(({ content }) => field<ArraysChange>(content, 'data', 'content'));
}

/** Waits for the change that lists an array of this name and state, skipping the first `since` changes. */
async function told(name: string, state = 'idle', since = 0): Promise<ArraysChange> {
  await kernel.published(
    message =>
      isOurs(message, 'push') &&
      changes()
        .slice(since)
        .some(({ set }) => set.some(entry => entry.names.includes(name) && entry.state === state))
  );
  return changes()
    .slice(since)
    .find(({ set }) => set.some(entry => entry.names.includes(name) && entry.state === state))!;
}

test('lists arrays reachable from variables, and runs no code of the notebook', async () => {
  await request('watch', { visible: true });
  const { set, first, version } = await told('grid');
  expect([first, version]).toEqual([true, 1]);
  expect(set.map(({ names }) => names)).toEqual([['grid'], ['nested.list[0]'], ['view']]);
  expect(set[2]?.block).toBe(set[0]?.block);
});

test('reports the arrays that a cell made or disposed', async () => {
  const before = changes().length;
  await kernel.execute('const later = zeros([5]); later.synchronize(); view.dispose(); 0;');
  await told('later', 'idle', before);
  await told('view', 'freed', before);
});

test('continues while a cell awaits', async () => {
  const before = changes().length;
  const cell = kernel.send('shell', 'execute_request', {
    code: 'const early = zeros([2]); early.synchronize(); await new Promise(() => {});',
    silent: false
  });
  const { set } = await told('early', 'idle', before);
  expect(set.length).toBeGreaterThan(0);
  expect(await request('summary')).toMatchObject({ arrays: 4 });
  // The cell has not ended yet: the change arrived while it was running.
  const ended = kernel.iopub.some(
    ({ type, content, parentId }) =>
      type === 'status' && parentId === cell && content['execution_state'] === 'idle'
  );
  expect(ended).toBe(false);
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.idle(cell);
});

test('answers after a cell that blocked it', async () => {
  const cell = kernel.send('shell', 'execute_request', {
    code: 'const end = Date.now() + 300; while (Date.now() < end); 0;',
    silent: false
  });
  expect(await request('summary')).toMatchObject({ arrays: 4 });
  await kernel.idle(cell);
});

test('sends nothing while no panel is visible', async () => {
  await request('watch', { visible: false });
  const before = changes().length;
  await kernel.execute('const unseen = zeros([5]); 0;');
  await pass(300, 'nothing must be sent meanwhile');
  expect(changes().length).toBe(before);
  expect(await request('free')).toMatchObject({ freed: 5, remaining: [] });
  expect((await kernel.execute('grid.freed')).result).toBe('true');
});
