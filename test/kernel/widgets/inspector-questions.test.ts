/** The inspector's data on capsules, and its responses about the notebook's other arrays. */

import { ArrayInspector } from '../../../kernel/widgets/pictures/array/array-inspector.ts';
import { arange, zeros } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { pass, until } from '../../setup/until.ts';
import { Page } from './page.ts';

const sim = { device: 'sim:0' } as const;
const VERSIONED = { maxVersion: [1, 3] } as const;

let page: Page;
beforeEach(() => {
  page = new Page();
});

/** Sends a request as a page does, and returns the response. */
async function ask(
  inspector: ArrayInspector,
  method: string,
  parameters = {}
): Promise<Record<string, unknown>> {
  page.take(inspector);
  page.custom(inspector, { kind: 'request', id: 7, method, parameters });
  let answer: Record<string, unknown> | undefined;
  await until(() => {
    const contents = page
      .data(inspector)
      .map(({ content }) => content as Record<string, unknown> | undefined);
    answer = contents.find(content => content?.['id'] === 7);
    return answer !== undefined;
  });
  return answer!;
}

describe('other arrays', () => {
  test('variables that hold a live array are listed by name, and one of them can be described', async () => {
    const gone = zeros(2, sim);
    gone.dispose();
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    page.variables = { a: arange(6, sim).reshape(2, 3), n: 1, gone, nothing: null, proxy };
    using looked = zeros(3, sim);
    const inspector = new ArrayInspector(looked);
    expect((await ask(inspector, 'arrays'))['content']).toEqual({
      arrays: [{ name: 'a', summary: expect.stringContaining('(2, 3) on sim:0') as unknown }]
    });
    const { content } = await ask(inspector, 'describe', { name: 'a' });
    expect(content).toMatchObject({ description: { shape: [2, 3], lifetime: 'live', preview: null } });
    for (const name of ['gone', 'n', 'missing', 'toString'])
      expect((await ask(inspector, 'describe', { name }))['error']).toContain('no longer holds an array');
    inspector.close();
  });
});

describe('capsules', () => {
  const capsules = (inspector: ArrayInspector): [string, string][] | undefined =>
    inspector.picture.capsules?.map(({ key, value }) => [key.replace(/^\d+ /, ''), value.replace(/,.*/, '')]);
  const latest = (inspector: ArrayInspector, state: string): Promise<void> =>
    until(() => capsules(inspector)?.at(-1)?.[1] === state);

  test('rules 164, 167: an export is reported while a view is open, and so is its end, which sends no signal', async () => {
    using array = arange(4, sim);
    const inspector = new ArrayInspector(array);
    expect(capsules(inspector)).toEqual([]);
    page.change(inspector, { _view_count: 1 });
    const capsule = array.__dlpack__(VERSIONED);
    await latest(inspector, 'exported');
    capsule.dispose();
    await latest(inspector, 'deleted');
    expect(capsules(inspector)).toEqual([['dltensor_versioned', 'deleted']]);
    inspector.close();
    const { exports } = native();
    const before = exports.last();
    array.__dlpack__().dispose();
    expect(exports.last()).toBe(before);
  });

  test('a tensor that outlives its array is reported', async () => {
    using array = arange(4, sim);
    const inspector = new ArrayInspector(array);
    page.change(inspector, { _view_count: 1 });
    const capsule = array.__dlpack__(VERSIONED);
    array.dispose();
    await latest(inspector, 'exported');
    await until(() => inspector.picture.lifetime === 'freed');
    expect(capsules(inspector)).toHaveLength(1);
    capsule.dispose();
    await latest(inspector, 'deleted');
    inspector.close();
  });

  test('without a view nothing is sent until one opens', async () => {
    using array = arange(4, sim);
    const inspector = new ArrayInspector(array);
    page.take(inspector);
    array.__dlpack__().dispose();
    await pass(100, 'nothing must be sent meanwhile');
    expect(page.data(inspector)).toEqual([]);
    page.change(inspector, { _view_count: 1 });
    await latest(inspector, 'deleted');
    inspector.close();
  });

  test('rule 168: earlier exports are counted, and the count follows them', async () => {
    using array = arange(4, sim);
    const early = array.__dlpack__(VERSIONED);
    const inspector = new ArrayInspector(array);
    expect(capsules(inspector)).toEqual([['earlier', '1 outstanding']]);
    page.change(inspector, { _view_count: 1 });
    early.dispose();
    await until(() => capsules(inspector)?.length === 0);
    inspector.close();
  });

  test('exports of a freed array are not followed', () => {
    const array = zeros(2, sim);
    array.dispose();
    const inspector = new ArrayInspector(array);
    expect([inspector.picture.capsules, inspector.picture.tensor]).toEqual([null, []]);
    inspector.close();
  });
});
