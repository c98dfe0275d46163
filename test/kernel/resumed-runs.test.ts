/** A real kernel and two clients: one runs a notebook's cells, the other joins in the middle, like a reloaded page. */

import { CELL_OUTPUTS_REQUEST, FOLLOW_CELL_REQUEST, type CellRun } from '../../src/notebook/cell-outputs.ts';
import { until } from '../setup/until.ts';
import { WITHOUT_TYPES, type Content, type Message } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { Peer } from './peer.ts';

let page: Peer;
withKernel('tcp', WITHOUT_TYPES);
beforeEach(() => {
  page = new Peer(kernel, true);
});
afterEach(() => page.close());

/** Runs a cell as a notebook does. */
function run(cellId: string, code: string, more: Content = {}): string {
  const content = { code, silent: false, store_history: true, allow_stdin: true, ...more };
  return kernel.send('shell', 'execute_request', content, [], undefined, { metadata: { cellId } });
}

async function runs(): Promise<readonly CellRun[]> {
  page.sendControl(CELL_OUTPUTS_REQUEST, {});
  return (await page.controlReply()).content['runs'] as readonly CellRun[];
}

const follow = (id: string): void => page.sendControl(FOLLOW_CELL_REQUEST, {}, { msg_id: id });
const printed = (id: string, text: string): Promise<Message> =>
  kernel.published(
    ({ type, parentId, content }) =>
      type === 'stream' && parentId === id && String(content['text']).includes(text)
  );
const statuses = (id: string): unknown[] =>
  kernel.iopub
    .filter(({ type, parentId }) => type === 'status' && parentId === id)
    .map(({ content }) => content['execution_state']);

/** A cell that prints, and continues when told to. */
const WAITS =
  "console.log('early'); await new Promise(resolve => { Object.assign(globalThis, { go: resolve }) }); console.log('late'); 'result'";
const go = (): Promise<Content> =>
  kernel.request('create_subshell_request', {}, 'control').then(async ({ subshell_id }) => {
    const id = kernel.send('shell', 'execute_request', { code: 'go()', silent: true }, [], undefined, {
      header: { subshell_id }
    });
    const reply = await kernel.reply(id);
    await kernel.request('delete_subshell_request', { subshell_id }, 'control');
    return reply;
  });

test('a run reports its output and its end; the client that started it is not affected', async () => {
  const id = run('one', WAITS);
  await printed(id, 'early');
  const before = Date.now();
  const { resumable_until: until } = await kernel.request('kernel_info_request', {});
  expect(Date.parse(until as string)).toBeGreaterThanOrEqual(before);
  const [known] = await runs();
  expect(known).toMatchObject({ id, cell_id: 'one', ended: null, shortened: false });
  expect(known!.messages).toEqual([
    { type: 'stream', content: { name: 'stdout', text: 'early\n' }, metadata: {} }
  ]);
  const busy = statuses(id);
  follow(id);
  // The kernel has handled the request once it replies to the next one.
  await runs();
  expect(statuses(id).filter(state => state === 'idle')).toEqual([]);
  expect(busy[0]).toBe('busy');
  await go();
  const { reply, result } = await kernel.finish(id);
  expect(result).toBe("'result'");
  expect(await page.controlReply()).toEqual({ parentId: id, content: reply });
  // Messages are numbered, so that none is shown twice.
  const numbers = kernel.iopub
    .filter(({ parentId }) => parentId === id)
    .map(({ header }) => String(header['msg_id']));
  const isNew = (message: string): boolean =>
    Number(message.split('_').at(-1)) > Number(known!.latest!.split('_').at(-1));
  const late = await printed(id, 'late');
  expect(numbers.filter(isNew)).toContain(late.header['msg_id']);
  expect(isNew(String((await printed(id, 'early')).header['msg_id']))).toBe(false);
});

test('a finished run is reported with its result; a client that follows it is answered, and gets the idle status', async () => {
  const id = run('two', "console.log('text'); 'all'");
  const { reply } = await kernel.finish(id);
  const known = (await runs()).find(each => each.id === id)!;
  expect(known.messages.map(({ type }) => type)).toEqual(['stream', 'execute_result']);
  expect(Date.parse(known.ended!)).toBeLessThanOrEqual(Date.now());
  follow(id);
  expect(await page.controlReply()).toEqual({ parentId: id, content: reply });
  await kernel.published(() => statuses(id).filter(state => state === 'idle').length === 2);
});

test('queued cells are reported, and end normally: after a failure they are aborted', async () => {
  const first = run('waiting 0', `${WAITS}; throw new Error('stops')`);
  await printed(first, 'early');
  const second = run('waiting 1', '1');
  const third = run('waiting 2', '2');
  // The channels are not ordered relative to each other.
  let known = await runs();
  await until(async () => (known = await runs()).at(-1)?.id === third);
  expect(known.slice(-3).map(({ id, messages }) => [id, messages.length])).toEqual([
    [first, 1],
    [second, 0],
    [third, 0]
  ]);
  follow(second);
  follow(third);
  await go();
  const aborted = [await page.controlReply(), await page.controlReply()];
  expect(aborted).toMatchObject([
    { parentId: second, content: { status: 'error', ename: 'Aborted' } },
    { parentId: third, content: { status: 'error', ename: 'Aborted' } }
  ]);
  const [failed] = (await runs()).slice(-3);
  expect(failed!.messages.at(-1)).toMatchObject({ type: 'error', content: { evalue: 'stops' } });
});

test('a run whose process exits is reported with the error, and can no longer be followed', async () => {
  const id = run(
    'three',
    "console.log('early'); await new Promise(resolve => { Object.assign(globalThis, { go: resolve }) }); process.exit(3)"
  );
  await printed(id, 'early');
  follow(id);
  await go();
  expect(await page.controlReply()).toMatchObject({ parentId: id, content: { ename: 'ExecutorDied' } });
});

describe('questions', () => {
  const ASKS = "const name = await input('Name? '); name.length";

  test('that wait for an answer are asked again, and the page answers', async () => {
    const asked = kernel.question(kernel.questions.length);
    const id = run('asks', ASKS);
    await asked;
    const question = page.question();
    follow(id);
    expect(await question).toMatchObject({ parentId: id, content: { prompt: 'Name? ' } });
    page.answer('Ada');
    expect((await kernel.finish(id)).result).toBe('3');
    expect(await page.controlReply()).toMatchObject({ parentId: id, content: { status: 'ok' } });
  });

  test('that are asked later appear in both pages; the first answer counts', async () => {
    const id = run('asks', `${WAITS}; [await input('1'), await input('2')].join()`);
    await printed(id, 'early');
    follow(id);
    await runs();
    const first = kernel.question(kernel.questions.length);
    await go();
    const { header } = await first;
    expect((await page.question()).content['prompt']).toBe('1');
    const second = kernel.question(kernel.questions.length);
    page.answer('new');
    expect((await page.question()).content['prompt']).toBe('2');
    const next = await second;
    kernel.answer('too late', header);
    kernel.answer('old', next.header);
    expect((await kernel.finish(id)).result).toBe("'new,old'");
  });

  test('that no page can show wait for a page', async () => {
    const gone = new Peer(kernel);
    const metadata = { cellId: 'nobody' };
    const asking = gone.send(
      'execute_request',
      { code: `console.log('asks'); ${ASKS}`, allow_stdin: true },
      {},
      metadata
    );
    await printed(asking, 'asks');
    gone.close();
    const question = page.question();
    follow(asking);
    expect(await question).toMatchObject({ parentId: asking, content: { prompt: 'Name? ' } });
    page.answer('Grace');
    expect(await page.controlReply()).toMatchObject({ parentId: asking, content: { status: 'ok' } });
  });
});
