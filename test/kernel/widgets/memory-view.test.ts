/** The kernel half of the memory picture, with a fake page. */

import { MemoryView } from '../../../kernel/widgets/pictures/memory/memory-view.ts';
import { ALLOCATION_FIELDS, type MemoryPicture } from '../../../src/pictures/memory/schema.ts';
import { memoryLog, zeros, type NDArray } from '../../../src/index.ts';
import type { JsonObject } from '../../../kernel/protocol/messages.ts';
import { pass, until } from '../../setup/until.ts';
import { Page, type Sent } from './page.ts';

const page = new Page();
const device = 'sim:0';
let view: MemoryView;

beforeEach(() => {
  memoryLog.start();
  view = new MemoryView(memoryLog);
});
afterEach(() => {
  view.close();
  memoryLog.stop();
  page.variables = {};
});

interface Response {
  readonly content: JsonObject;
  readonly error?: string;
}

/** Sends a request as a page does, and waits for the response. */
async function ask(
  method: string,
  parameters: JsonObject = {}
): Promise<Response & { buffers: Float64Array[] }> {
  page.take(view);
  page.custom(view, { kind: 'request', id: 7, method, parameters });
  let found: Sent | undefined;
  await until(() => {
    found = page
      .take(view)
      .find(({ data }) => (data['content'] as JsonObject | undefined)?.['kind'] === 'response');
    return found !== undefined;
  });
  const buffers = found!.buffers.map(({ buffer, byteOffset, byteLength }) => {
    return new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));
  });
  return { ...(found!.data['content'] as Response), buffers };
}

const rowsIn = (numbers: Float64Array | undefined): number =>
  (numbers?.length ?? 0) / ALLOCATION_FIELDS.length;
const pictureIn = (sent: ReturnType<Page['take']>): MemoryPicture[] =>
  sent.flatMap(({ data }) => {
    const state = data['state'] as JsonObject | undefined;
    return state?.['picture'] === undefined ? [] : (state['picture'] as unknown as MemoryPicture);
  });

test('the state is bounded; all rows are sent on request, as doubles; then only changes', async () => {
  const many: NDArray[] = [];
  for (let index = 0; index < 400; index++) many.push(zeros([index + 1], { device }));
  page.variables = { many, first: many[0] };
  page.change(view, { _view_count: 1 });
  expect(view.picture.complete).toBe(false);
  expect(JSON.stringify(view.picture).length).toBeLessThan(64 * 1024);

  const whole = await ask('rows', { start: -1, after: 0 });
  expect(whole.content).toMatchObject({ whole: true, first: 0, next: 400 });
  expect(rowsIn(whole.buffers[0])).toBeGreaterThanOrEqual(400);
  expect(whole.content['texts']).toEqual(expect.arrayContaining(['many[1]', 'many[0], first']));

  many[5]?.dispose();
  const start = whole.content['start'] as number;
  const changed = await ask('rows', { start, after: 400 });
  expect(changed.content).toMatchObject({ whole: false, next: 401 });
  expect(rowsIn(changed.buffers[0])).toBe(1);
  expect((changed.content['names'] as number[]).length / 3).toBeGreaterThanOrEqual(399);
  for (const one of many) one.dispose();
});

test('nothing is sent without a view; with one, at most a few pictures a second', async () => {
  page.take(view);
  using _a = zeros([10], { device });
  await pass(300, 'nothing must be sent meanwhile');
  expect(page.take(view)).toEqual([]);
  const start = performance.now();
  page.change(view, { _view_count: 1 });
  for (let round = 0; round < 50; round++) {
    zeros([10], { device }).dispose();
    await pass(10, 'changes are faster than pictures may be sent');
  }
  await pass(300, 'the last picture comes with the next period');
  const pictures = pictureIn(page.take(view));
  const seconds = (performance.now() - start) / 1000;
  expect(pictures.length).toBeGreaterThan(0);
  expect(pictures.length).toBeLessThanOrEqual(4 * seconds + 2);
  expect(pictures.at(-1)?.next).toBe(101);
  page.change(view, { _view_count: 0 });
  page.take(view);
  zeros([10], { device }).dispose();
  await pass(300, 'nothing must be sent meanwhile');
  expect(pictureIn(page.take(view))).toEqual([]);
});

test('the page stops, starts and clears; unknown requests are reported', async () => {
  page.change(view, { _view_count: 1 });
  await ask('stop');
  expect([memoryLog.enabled, view.picture.state]).toEqual([false, 'stopped']);
  await ask('start');
  using _a = zeros([10], { device });
  expect([memoryLog.enabled, view.picture.state]).toEqual([true, 'recording']);
  await ask('clear');
  expect(view.picture).toMatchObject({ next: 1, first: 1 });
  expect((await ask('bogus')).error).toContain('bogus');
});

test('a widget keeps no array alive: memory that no variable holds is shown as unreachable', async () => {
  const { collectGarbage } = await import('../../../src/native/load.ts');
  page.change(view, { _view_count: 1 });
  (() => zeros([4321], { device }))();
  await ask('refresh');
  const deadline = Date.now() + 15_000;
  const isAlive = (): boolean => memoryLog.read().alive.some(({ requested }) => requested === 4321 * 8);
  while (isAlive() && Date.now() < deadline) {
    collectGarbage();
    await pass(20, 'weak references are cleared between turns');
    await ask('refresh');
  }
  expect(isAlive()).toBe(false);
}, 20_000);

test('a variable whose getters would run or throw is skipped', () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  let ran = 0;
  const list = Object.defineProperty([], 0, { enumerable: true, get: () => ran++ });
  page.variables = { proxy, list, within: [proxy], kept: [zeros(4, { device })] };
  page.change(view, { _view_count: 1 });
  expect(pictureIn(page.take(view)).at(-1)?.rows.texts).toContain('kept[0]');
  expect([page.errors, ran]).toEqual([[], 0]);
});
