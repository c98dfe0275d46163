import { WITHOUT_TYPES, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { pass } from '../setup/until.ts';

withKernel('tcp', WITHOUT_TYPES);

const create = async (): Promise<string> =>
  (await kernel.request('create_subshell_request', {}, 'control'))['subshell_id'] as string;
const list = async (): Promise<unknown> =>
  (await kernel.request('list_subshell_request', {}, 'control'))['subshell_id'];
const remove = (subshell_id: string): Promise<Content> =>
  kernel.request('delete_subshell_request', { subshell_id }, 'control');

/** Sends a request to a subshell. */
const send = (subshell: string | null, type: string, content: Content): string =>
  kernel.send('shell', type, content, [], undefined, { header: { subshell_id: subshell } });
const start = (subshell: string | null, code: string, more: Content = {}): string =>
  send(subshell, 'execute_request', { code, ...more });
const begun = (id: string) =>
  kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);

/** Code that awaits until another cell calls `release`. */
const HELD = 'await new Promise(resolve => { globalThis.release = resolve });';

/** A cell of the main shell that awaits until another cell calls `release`. */
async function holdMainShell(): Promise<string> {
  const id = start(null, `${HELD} "released"`);
  await begun(id);
  return id;
}

test('are announced, created, listed and deleted', async () => {
  const info = await kernel.request('kernel_info_request', {}, 'control');
  expect(info['supported_features']).toContain('kernel subshells');
  expect(await list()).toEqual([]);
  const [one, two] = [await create(), await create()];
  expect(await list()).toEqual([one, two]);
  expect(await remove(one)).toEqual({ status: 'ok' });
  expect(await list()).toEqual([two]);
  expect(await remove(one)).toMatchObject({ status: 'error', ename: 'UnknownSubshellError' });
  expect(await kernel.request('delete_subshell_request', {}, 'control')).toMatchObject({ status: 'error' });
  await remove(two);
});

test('run cells while the main shell awaits, with the same names and numbers', async () => {
  const subshell = await create();
  const held = await holdMainShell();
  const inside = await kernel.finish(start(subshell, 'const fromSubshell = 40; fromSubshell + 2'));
  expect(inside.result).toBe('42');
  expect(inside.messages.every(({ parentId }) => parentId === inside.id)).toBe(true);
  await kernel.finish(start(subshell, 'release()'));
  const main = await kernel.finish(held);
  expect(main.result).toBe("'released'");
  expect([main, inside].map(({ reply }) => reply['execution_count'])).toEqual([1, 2]);
  expect((await kernel.execute('fromSubshell')).result).toBe('40');
  expect(inside.messages[0]).toHaveProperty('parentId', inside.id);
  await remove(subshell);
});

test('have separate queues: a failure aborts the cells queued in the same one', async () => {
  const [one, two] = [await create(), await create()];
  const failing = start(one, `${HELD} throw new Error('no')`);
  await begun(failing);
  const behind = start(one, '1');
  const elsewhere = start(two, 'release(); 2');
  expect((await kernel.finish(failing)).reply).toMatchObject({ status: 'error', evalue: 'no' });
  expect((await kernel.finish(behind)).reply).toMatchObject({ status: 'error', ename: 'Aborted' });
  expect((await kernel.finish(elsewhere)).result).toBe('2');
  await Promise.all([remove(one), remove(two)]);
});

test('a deleted one finishes its cell and aborts the queued ones', async () => {
  const subshell = await create();
  const running = start(subshell, `${HELD} 1`);
  await begun(running);
  const waiting = start(subshell, '2');
  // The kernel reads each socket in order: what follows on this one is answered after the cell is queued.
  await kernel.request('comm_info_request', {});
  await remove(subshell);
  expect((await kernel.finish(waiting)).reply).toMatchObject({ ename: 'Aborted' });
  await kernel.execute('release()');
  expect((await kernel.finish(running)).result).toBe('1');
});

test('requests to an unknown one are errors, within busy and idle; comms are delivered', async () => {
  const content = { code: '1', cursor_pos: 1 };
  for (const type of ['execute_request', 'complete_request', 'is_complete_request']) {
    const id = send('nowhere', type, content);
    expect(await kernel.reply(id)).toMatchObject({ status: 'error', ename: 'UnknownSubshellError' });
    await kernel.idle(id);
  }
  const comm = send('nowhere', 'comm_open', {
    comm_id: 'c',
    target_name: 'jupyter.widget.control',
    data: {}
  });
  await kernel.idle(comm);
  expect((await kernel.request('comm_info_request', {}))['comms']).toHaveProperty('c');
});

test('comms over a subshell, as JupyterLab sends them, are handled while a cell awaits', async () => {
  const subshell = await create();
  const held = await holdMainShell();
  const open = { comm_id: 'w', target_name: 'jupyter.widget.control', data: {} };
  await kernel.idle(send(subshell, 'comm_open', open));
  const id = send(subshell, 'comm_msg', { comm_id: 'w', data: { method: 'request_states' } });
  await kernel.idle(id);
  const answer = kernel.iopub.find(({ type, parentId }) => type === 'comm_msg' && parentId === id);
  expect(answer!.content['data']).toMatchObject({ method: 'update_states' });
  await kernel.finish(start(subshell, 'release()'));
  await kernel.finish(held);
  await remove(subshell);
});

test('an interrupt stops the cells of all', async () => {
  const subshell = await create();
  const held = await holdMainShell();
  const spinning = start(subshell, 'await 0; while (true) {}');
  await begun(spinning);
  await pass(50, 'the cells get stuck right after they began');
  await kernel.request('interrupt_request', {}, 'control');
  for (const id of [held, spinning])
    expect((await kernel.finish(id)).reply).toMatchObject({ status: 'error', ename: 'Interrupted' });
  expect((await kernel.finish(start(subshell, '3'))).result).toBe('3');
  await remove(subshell);
});

test('a process that exits fails the cells of all, and the subshells stay', async () => {
  const subshell = await create();
  const held = await holdMainShell();
  const ending = start(subshell, 'process.exit(3)');
  for (const id of [held, ending])
    expect((await kernel.finish(id)).reply).toMatchObject({ status: 'error', ename: 'ExecutorDied' });
  expect((await kernel.finish(start(subshell, '4'))).result).toBe('4');
  expect(await list()).toEqual([subshell]);
});

describe('cells queued behind a failure', () => {
  const at = (date: number): Content => ({ date: new Date(date).toISOString() });
  const sendAt = (date: number, code: string): string =>
    kernel.send('shell', 'execute_request', { code }, [], undefined, { header: at(date) });

  test('are aborted if they were sent before the failure could be known, however late they arrive', async () => {
    const sent = Date.now();
    const failing = sendAt(
      sent,
      "await new Promise(resolve => setTimeout(resolve, 80)); throw new Error('no')"
    );
    await kernel.finish(failing);
    expect((await kernel.finish(sendAt(sent + 40, '1'))).reply).toMatchObject({ ename: 'Aborted' });
    expect((await kernel.finish(sendAt(sent - 40, '1'))).reply).toMatchObject({ status: 'ok' });
    expect((await kernel.execute('2')).reply).toMatchObject({ status: 'ok' });
  });

  test('run if the failing cell allows it', async () => {
    const failing = kernel.startExecution("throw new Error('no')", { stop_on_error: false });
    const next = kernel.startExecution('5');
    expect((await kernel.finish(failing)).reply).toMatchObject({ status: 'error' });
    expect((await kernel.finish(next)).result).toBe('5');
  });
});
