/** The history as JupyterLab's own classes request it from a kernel: arrow keys in a console, Alt and arrow keys in a notebook. */

import { temporaryFolder } from '../setup/temporary-folder.ts';
import { until } from '../setup/until.ts';
import { join } from 'node:path';
import { ConsoleHistory } from '@jupyterlab/console/lib/history.js';
import { NotebookHistory } from '@jupyterlab/notebook/lib/history.js';
import { WITHOUT_TYPES, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { HistoryDatabase } from '../../kernel/front/history/history-database.ts';

const file = join(temporaryFolder(), 'history.sqlite');
const OLDER = 60;
/** Texts that a pattern or SQL might treat specially, with several lines and characters of all kinds. */
const OWN = [
  'first()',
  "const text = 'é 日本 😀 %_[a]*?';",
  'if (true) {\n  second();\n}',
  'same()',
  'same()',
  'latest()'
];

beforeAll(() => {
  const database = new HistoryDatabase(file);
  const entries = Array.from({ length: OLDER }, (_, index) => ({
    line: index + 1,
    source: `older(${index + 1})`
  }));
  database.add(entries, []);
  database.close();
});
withKernel('tcp', { ...WITHOUT_TYPES, STRIDELAB_HISTORY: file });
beforeAll(async () => {
  await kernel.execute('const [first, second, same, latest] = Array(4).fill(() => 1)', {
    store_history: false
  });
  for (const code of OWN) await kernel.execute(code);
  // A kernel that started later, and also runs.
  const other = new HistoryDatabase(file);
  other.add([{ line: 1, source: 'of another notebook()' }], []);
  other.close();
});

const requests: Content[] = [];
let answered = 0;
/** What JupyterLab passes to its histories, connected to the kernel. */
function sessionContext(): never {
  const requestHistory = async (content: Content): Promise<object> => {
    requests.push(content);
    const reply = await kernel.request('history_request', content);
    answered += 1;
    return { content: reply };
  };
  return { session: { kernel: { requestHistory } }, kernelChanged: { connect: () => undefined } } as never;
}

const texts = [...OWN.slice(0, 4), 'latest()'];

test('arrow up in a console goes back through this session, then earlier ones; text typed before selects', async () => {
  const history = new ConsoleHistory({ sessionContext: sessionContext() });
  await until(() => answered === 1);
  const back = async (typed: string, count: number): Promise<string[]> => {
    const found: string[] = [];
    for (let step = 0; step < count; step += 1) found.push(await history.back(typed));
    history.reset();
    return found;
  };
  expect(await back('', 7)).toEqual([...texts.toReversed(), 'of another notebook()', `older(${OLDER})`]);
  expect(await back('older(5', 3)).toEqual(['older(59)', 'older(58)', 'older(57)']);
  expect(await back('nothing', 2)).toEqual(['nothing', 'nothing']);
  await history.back('');
  await history.back('');
  expect(await history.forward('')).toBe('latest()');
  expect(await history.forward('')).toBe('');
  expect(requests.at(-1)).toEqual({ output: false, raw: true, hist_access_type: 'tail', n: 500 });
});

test('Alt and arrow up in a notebook goes back through all sessions, in growing requests', async () => {
  const history = new NotebookHistory({ sessionContext: sessionContext() });
  const sharedModel = { getSource: () => 'edited', changed: { connect: () => undefined } };
  const cell = { editor: { model: { sharedModel } } } as never;
  const found: (string | undefined)[] = [];
  for (let step = 0; step < texts.length + 1 + OLDER; step += 1) found.push(await history.back(cell));
  const older = Array.from({ length: OLDER }, (_, index) => `older(${OLDER - index})`);
  expect(found).toEqual([...texts.toReversed(), 'of another notebook()', ...older]);
  expect(await history.back(cell)).toBe('older(1)');
  expect(await history.forward(cell)).toBe('older(2)');
  // Its first request, before it is fully constructed, has no number.
  const counts = requests.filter(({ n }) => n !== 500).map(({ n }) => n);
  expect(counts).toEqual([undefined, 10, 20, 30, 40, 50, 60, 70, 80]);
});
