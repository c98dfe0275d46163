/** What an inspector tells of capsules, and what it answers about the notebook's other arrays. */

import { setTimeout as wait } from 'node:timers/promises';
import { ArrayInspector } from '../../../kernel/widgets/live/array-inspector.ts';
import { arange, zeros } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { Page } from './page.ts';

const sim = { device: 'sim:0' } as const;
const VERSIONED = { maxVersion: [1, 3] } as const;

let page: Page;
beforeEach(() => {
  page = new Page();
});

/** Asks as a page does, and gives the response. */
async function ask(
  inspector: ArrayInspector,
  method: string,
  parameters = {}
): Promise<Record<string, unknown>> {
  page.take(inspector);
  page.custom(inspector, { kind: 'request', id: 7, method, parameters });
  for (let turn = 0; turn < 100; turn++) {
    await wait(2);
    const found = page
      .data(inspector)
      .find(({ content }) => (content as { id?: number } | undefined)?.id === 7);
    if (found) return found['content'] as Record<string, unknown>;
  }
  throw new Error(`no response to ${method}`);
}

describe('other arrays', () => {
  test('variables that hold a living array, by name; one of them described', async () => {
    const gone = zeros(2, sim);
    gone.dispose();
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    page.variables = { a: arange(6, sim).reshape(2, 3), n: 1, gone, nothing: null, proxy };
    const inspector = new ArrayInspector(zeros(3, sim));
    expect((await ask(inspector, 'arrays'))['content']).toEqual({
      arrays: [{ name: 'a', summary: expect.stringContaining('(2, 3) on sim:0') as unknown }]
    });
    const { content } = await ask(inspector, 'describe', { name: 'a' });
    expect(content).toMatchObject({ description: { shape: [2, 3], lifetime: 'live', preview: null } });
    for (const name of ['gone', 'n', 'missing', 'toString'])
      expect((await ask(inspector, 'describe', { name }))['error']).toContain('holds no array now');
    inspector.close();
  });
});

describe('capsules', () => {
  const capsules = (inspector: ArrayInspector): [string, string][] | undefined =>
    inspector.picture.capsules?.map(({ key, value }) => [key.replace(/^\d+ /, ''), value.replace(/,.*/, '')]);
  const until = async (inspector: ArrayInspector, state: string): Promise<void> => {
    for (let turn = 0; turn < 400 && capsules(inspector)?.at(-1)?.[1] !== state; turn++) await wait(10);
    expect(capsules(inspector)?.at(-1)?.[1]).toBe(state);
  };

  test('rules 164, 167: an export is told while somebody looks, and its end, which gives no sign', async () => {
    const array = arange(4, sim);
    const inspector = new ArrayInspector(array);
    expect(capsules(inspector)).toEqual([]);
    page.change(inspector, { _view_count: 1 });
    const capsule = array.__dlpack__(VERSIONED);
    await until(inspector, 'exported');
    capsule.dispose();
    await until(inspector, 'deleted');
    expect(capsules(inspector)).toEqual([['dltensor_versioned', 'deleted']]);
    inspector.close();
    const { exports } = native();
    const before = exports.last();
    array.__dlpack__().dispose();
    expect(exports.last()).toBe(before);
  });

  test('a tensor that outlives its array is told of', async () => {
    const array = arange(4, sim);
    const inspector = new ArrayInspector(array);
    page.change(inspector, { _view_count: 1 });
    const capsule = array.__dlpack__(VERSIONED);
    array.dispose();
    await until(inspector, 'exported');
    for (let turn = 0; turn < 400 && inspector.picture.lifetime !== 'freed'; turn++) await wait(10);
    expect([inspector.picture.lifetime, capsules(inspector)?.length]).toEqual(['freed', 1]);
    capsule.dispose();
    await until(inspector, 'deleted');
    inspector.close();
  });

  test('nobody looks: nothing is sent until somebody does', async () => {
    const array = arange(4, sim);
    const inspector = new ArrayInspector(array);
    page.take(inspector);
    array.__dlpack__().dispose();
    await wait(100);
    expect(page.data(inspector)).toEqual([]);
    page.change(inspector, { _view_count: 1 });
    await until(inspector, 'deleted');
    inspector.close();
  });

  test('rule 168: those from before are counted, and the count follows them', async () => {
    const array = arange(4, sim);
    const early = array.__dlpack__(VERSIONED);
    const inspector = new ArrayInspector(array);
    expect(capsules(inspector)).toEqual([['earlier', '1 out']]);
    page.change(inspector, { _view_count: 1 });
    early.dispose();
    for (let turn = 0; turn < 400 && capsules(inspector)?.length !== 0; turn++) await wait(10);
    expect(capsules(inspector)).toEqual([]);
    inspector.close();
  });

  test('of a freed array nobody follows any', () => {
    const array = zeros(2, sim);
    array.dispose();
    const inspector = new ArrayInspector(array);
    expect([inspector.picture.capsules, inspector.picture.tensor]).toEqual([null, []]);
    inspector.close();
  });
});
