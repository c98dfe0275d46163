/** Texts by which objects describe themselves to the debugger, while the thread is where their code must not run. */

import { inspect } from 'node:util';
import { jest } from '@jest/globals';
import type { CellSources } from '../../kernel/executor/context/cell-sources.ts';
import { uninterrupted } from '../../kernel/executor/context/critical-section.ts';
import { NotebookNames } from '../../kernel/executor/transform/names.ts';
import type { InspectorClient } from '../../kernel/front/debugger/inspector-client.ts';
import { NotebookClient } from '../../kernel/front/debugger/notebook-client.ts';
// The real module takes over the executor's pipe to the front.
jest.unstable_mockModule('../../kernel/executor/front/output.ts', () => ({ flushOutput: () => undefined }));
const { NotebookAccess } = await import('../../kernel/executor/debugger/notebook-access.ts');

const describing = { [inspect.custom]: () => 'its own text' };
const access = new NotebookAccess({} as CellSources, new NotebookNames());

/** A client whose first `critical` requests find the thread in a critical section. */
function clientOf(critical: number): { client: NotebookClient; requests: () => number } {
  let requests = 0;
  const post = (method: string): Promise<object> => {
    if (method === 'Runtime.evaluate') return Promise.resolve({ result: { objectId: 'access' } });
    requests += 1;
    const describe = (): unknown => access.describe(describing, 1);
    const answers = requests <= critical ? uninterrupted(describe) : describe();
    return Promise.resolve({ result: { value: JSON.parse(JSON.stringify(answers)) as unknown } });
  };
  return { client: new NotebookClient({ post } as unknown as InspectorClient), requests: () => requests };
}

test('the text of an object is requested again after a critical section', async () => {
  const { client, requests } = clientOf(3);
  const [object, number] = await client.describe([]);
  expect(object!.text).toBe('its own text');
  expect(number).toEqual({ id: 0, text: null });
  expect(requests()).toBe(4);
});

test('code that never leaves critical sections is described without the text', async () => {
  const { client } = clientOf(Infinity);
  const [object] = await client.describe([]);
  expect(object!.id).toBeGreaterThan(0);
  expect(object!.text).toBeUndefined();
});
