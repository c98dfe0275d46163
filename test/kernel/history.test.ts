import { execFileSync } from 'node:child_process';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { until } from '../setup/until.ts';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { History } from '../../kernel/front/history/history.ts';
import { HistoryDatabase, MEMORY } from '../../kernel/front/history/history-database.ts';
import { historyFile } from '../../kernel/front/history/history-location.ts';
import { root } from '../setup/repository.ts';
import { KernelClient, WITHOUT_TYPES, type Content } from './client.ts';

let folder: string;
let file: string;
let warnings: string[];
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'data', 'history.sqlite');
  warnings = [];
});

const open = (path: string | undefined = file): History =>
  new History(text => void warnings.push(text), path);

/** A session that executed these cells, with the output of each. */
async function session(...cells: (readonly [source: string, output?: string])[]): Promise<void> {
  const history = open();
  cells.forEach(([source, output], index) => {
    history.add(index + 1, source);
    if (output !== undefined) history.setOutput(index + 1, output);
  });
  await history.close();
}

const tail = (history: History, n: number, more: Content = {}) =>
  history.query({ hist_access_type: 'tail', n, ...more });

describe('the history of several sessions', () => {
  beforeEach(async () => {
    await session(['a1', '\x1b[33m1\x1b[39m'], ['same'], ['a*b?']);
    await session(['b1'], ['same', 'later']);
  });

  test('is numbered, and its end is read oldest first, across sessions, with output on request', async () => {
    const history = open();
    expect(await tail(history, 3)).toEqual([
      [1, 3, 'a*b?'],
      [2, 1, 'b1'],
      [2, 2, 'same']
    ]);
    expect(await tail(history, 100, { output: true })).toEqual([
      [1, 1, ['a1', '1']],
      [1, 2, ['same', null]],
      [1, 3, ['a*b?', null]],
      [2, 1, ['b1', null]],
      [2, 2, ['same', 'later']]
    ]);
    expect(await tail(history, 0)).toEqual([]);
    expect(await tail(history, -1)).toEqual([]);
    for (let line = 1; line <= 12; line += 1) history.add(line, `c${line}`);
    expect(await history.query({ hist_access_type: 'tail' })).toHaveLength(10);
    await history.close();
  });

  test('is read by ranges: of a session, of this one, of earlier ones', async () => {
    const history = open();
    const range = (content: Content) => history.query({ hist_access_type: 'range', ...content });
    expect(await range({ session: 1, start: 2, stop: 3 })).toEqual([[1, 2, 'same']]);
    expect(await range({ session: 1, start: 2 })).toHaveLength(2);
    expect(await range({ session: -1 })).toEqual([
      [2, 1, 'b1'],
      [2, 2, 'same']
    ]);
    expect(await range({})).toEqual([]);
    history.add(1, 'c1');
    expect(await range({})).toEqual([[3, 1, 'c1']]);
    expect(await range({ session: -2, stop: 2 })).toEqual([[1, 1, 'a1']]);
    expect(await range({ session: -9 })).toEqual([]);
    expect(await range({ session: 'x', start: null, stop: {} })).toEqual([[3, 1, 'c1']]);
    expect(await range({ session: 1, start: -2 })).toEqual([
      [1, 2, 'same'],
      [1, 3, 'a*b?']
    ]);
    expect(await range({ session: 1, start: -2, stop: -1 })).toEqual([[1, 2, 'same']]);
    expect(await range({ session: 1, start: -9 })).toHaveLength(3);
    await history.close();
  });

  test('is searched by patterns, without duplicates on request, and by a count for the latest', async () => {
    const history = open();
    const search = (content: Content) => history.query({ hist_access_type: 'search', ...content });
    expect(await search({ pattern: '?1' })).toEqual([
      [1, 1, 'a1'],
      [2, 1, 'b1']
    ]);
    expect(await search({ pattern: 'same' })).toHaveLength(2);
    expect(await search({ pattern: 'same', unique: true, output: true })).toEqual([
      [2, 2, ['same', 'later']]
    ]);
    expect(await search({ pattern: '*1', n: 1 })).toEqual([[2, 1, 'b1']]);
    expect(await search({ unique: true })).toHaveLength(4);
    expect(await search({ unique: true, n: 2 })).toEqual([
      [2, 1, 'b1'],
      [2, 2, 'same']
    ]);
    expect(await search({ n: 0 })).toEqual([]);
    expect(await search({ pattern: 'nothing' })).toEqual([]);
    await expect(history.query({ hist_access_type: 'all' })).rejects.toThrow('hist_access_type');
    await history.close();
  });

  test('can be read by IPython', () => {
    const program = `from IPython.core.history import HistoryAccessor
import sys
print(*HistoryAccessor(hist_file=sys.argv[1]).get_tail(2, include_latest=True), sep="\\n")`;
    const python = join(root, '.venv', 'bin', 'python');
    const printed = execFileSync(python, ['-c', program, file], {
      encoding: 'utf8',
      env: { ...process.env, IPYTHONDIR: folder, HOME: folder }
    });
    expect(printed).toBe("(2, 1, 'b1')\n(2, 2, 'same')\n");
  });

  test('records when sessions ended', () => {
    const database = new DatabaseSync(file);
    const rows = database.prepare('SELECT num_cmds, end >= start AS ended FROM sessions').all();
    expect(rows.map(row => ({ ...row }))).toEqual([
      { num_cmds: 3, ended: 1 },
      { num_cmds: 2, ended: 1 }
    ]);
    database.close();
  });
});

test('patterns match whole cells of several lines and all characters, and brackets make their own signs plain', async () => {
  const texts = [
    'for (const x of y) {\n  print(x);\n}',
    'const é = "日本 😀"',
    'a[0] * b?',
    'a0 * b',
    '100%_'
  ];
  await session(...texts.map(text => [text] as const));
  const history = open();
  const found = async (pattern: string): Promise<unknown[]> =>
    (await history.query({ hist_access_type: 'search', pattern })).map(([, line]) => line);
  expect(await found('for*}')).toEqual([1]);
  expect(await found('*print*')).toEqual([1]);
  expect(await found('print*')).toEqual([]);
  expect(await found('const ? = "?? ?"')).toEqual([2]);
  expect(await found('a[[]0] [*] b[?]')).toEqual([3]);
  expect(await found('a[0-9] * b')).toEqual([4]);
  expect(await found('100%_')).toEqual([5]);
  expect(await found('CONST*')).toEqual([]);
  await history.close();
});

test('the end of the history is what this kernel ran, also while a later one writes', async () => {
  const first = open();
  first.add(1, 'first');
  await tail(first, 1);
  const second = open();
  second.add(1, 'second');
  await tail(second, 1);
  first.add(2, 'again');
  expect((await tail(first, 3)).map(([, , text]) => text)).toEqual(['second', 'first', 'again']);
  expect((await tail(second, 3)).map(([, , text]) => text)).toEqual(['first', 'again', 'second']);
  expect((await tail(second, 2)).map(([, , text]) => text)).toEqual(['again', 'second']);
  await Promise.all([first.close(), second.close()]);
});

test('a history in memory keeps the latest 1,000 cells with their outputs', () => {
  const history = new HistoryDatabase(MEMORY);
  const add = (from: number, to: number): void => {
    const lines = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    history.add(
      lines.map(line => ({ line, source: `cell ${line}` })),
      lines.map(line => ({ line, output: `${line}` }))
    );
  };
  const kept = () => history.query({ hist_access_type: 'tail', n: 5_000, output: true });
  add(1, 900);
  expect(kept()).toHaveLength(900);
  add(901, 2_399);
  add(2_400, 2_400);
  history.add([], [{ line: 2_400, output: 'late' }]);
  const items = kept();
  expect([items.length, items[0], items.at(-1)]).toEqual([
    1_000,
    [1, 1_401, ['cell 1401', '1401']],
    [1, 2_400, ['cell 2400', 'late']]
  ]);
  history.close();
});

test('kernels that write at the same time lose nothing', async () => {
  const kernels = Array.from({ length: 8 }, () => open());
  for (let line = 1; line <= 20; line += 1) {
    for (const history of kernels) history.add(line, `cell ${line}`);
    await Promise.all(kernels.map(history => tail(history, 1)));
  }
  await Promise.all(kernels.map(history => history.close()));
  const history = open();
  expect(await tail(history, 1_000)).toHaveLength(160);
  expect(new Set((await tail(history, 1_000)).map(([number]) => number)).size).toBe(8);
  await history.close();
  expect(warnings).toEqual([]);
});

test('a file locked by another program is written once it is unlocked', async () => {
  await session(['before']);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const history = open();
  history.add(1, 'waits');
  expect(await tail(history, 9)).toEqual([[1, 1, 'before']]);
  other.exec('COMMIT');
  other.close();
  expect(await tail(history, 9)).toEqual([
    [1, 1, 'before'],
    [2, 1, 'waits']
  ]);
  await history.close();
  expect(warnings).toEqual([]);
});

test.each<[string, () => void]>([
  [
    'is no database',
    () => {
      mkdirSync(join(folder, 'data'));
      writeFileSync(file, 'no database, but long enough to be one '.repeat(100));
    }
  ],
  ['has other tables', () => change('CREATE TABLE history (x)')],
  ['is a folder', () => void mkdirSync(file, { recursive: true })],
  ['lies where a file is', () => writeFileSync(join(folder, 'data'), '')]
])('a file that %s is not touched: one warning, and the session is kept in memory', async (_, spoil) => {
  spoil();
  const history = open();
  history.add(1, 'kept');
  history.setOutput(1, 'shown');
  expect(await tail(history, 9, { output: true })).toEqual([[1, 1, ['kept', 'shown']]]);
  history.add(2, 'too');
  expect(await tail(history, 9)).toHaveLength(2);
  await history.close();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/data.*cannot be used \(.+\).*STRIDELAB_HISTORY/);
});

/** Simulates another program that changes the file. */
function change(sql: string): void {
  mkdirSync(join(folder, 'data'), { recursive: true });
  using database = new DatabaseSync(file);
  database.exec(sql);
}

test('a file that becomes unusable during the session loses earlier entries, and later ones are kept', async () => {
  const history = open();
  history.add(1, 'written');
  await tail(history, 1);
  change('DROP TABLE history; CREATE TABLE history (x)');
  history.add(2, 'kept');
  expect(await tail(history, 9)).toEqual([[1, 2, 'kept']]);
  await history.close();
  expect(warnings).toHaveLength(1);
});

test('output of a cell is truncated if it is long', async () => {
  await session(['long', 'x'.repeat(1_000_000)]);
  const history = open();
  const [item] = await tail(history, 1, { output: true });
  expect((item![2] as [string, string])[1]).toHaveLength(10_000);
  await history.close();
});

test("the file is in Jupyter's data folder", () => {
  const end = join('stridelab', 'history.sqlite');
  expect(historyFile({})).toBe(join(homedir(), '.local/share/jupyter', end));
  expect(historyFile({ XDG_DATA_HOME: '/x' })).toBe(join('/x/jupyter', end));
  expect(historyFile({ JUPYTER_DATA_DIR: '/d', XDG_DATA_HOME: '/x' })).toBe(join('/d', end));
  expect(historyFile({ STRIDELAB_HISTORY: '/h.sqlite', JUPYTER_DATA_DIR: '/d' })).toBe('/h.sqlite');
  expect(historyFile({ STRIDELAB_HISTORY: 'off' })).toBeUndefined();
});

describe('a kernel', () => {
  const start = (path: string): Promise<KernelClient> =>
    KernelClient.start('tcp', { ...WITHOUT_TYPES, STRIDELAB_HISTORY: path });
  const ask = async (kernel: KernelClient, content: Content) =>
    (await kernel.request('history_request', content))['history'] as unknown[];

  test('that is killed has lost nothing that it wrote; the next one continues', async () => {
    const killed = await start(file);
    await killed.execute('40 + 2');
    await killed.execute('"hidden"', { store_history: false });
    await killed.execute('"quiet"', { silent: true });
    // A request writes it first.
    expect(await ask(killed, { hist_access_type: 'tail', n: 9 })).toEqual([[1, 1, '40 + 2']]);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    await killed.close();

    const next = await start(file);
    await next.execute('7');
    expect(await ask(next, { hist_access_type: 'tail', n: 9, output: true })).toEqual([
      [1, 1, ['40 + 2', '42']],
      [2, 1, ['7', '7']]
    ]);
    await next.request('shutdown_request', { restart: false }, 'control');
    expect(next.stderr).toBe('');
    await next.close();
  });

  test('writes automatically, and reports a file that it cannot use', async () => {
    const kernel = await start(file);
    await kernel.execute('1');
    let written = 0;
    await until(() => {
      try {
        using connection = new DatabaseSync(file, { readOnly: true });
        written = Number(connection.prepare('SELECT COUNT(*) AS n FROM history').get()!['n']);
      } catch {
        // The file does not exist yet.
      }
      return written > 0;
    });
    expect(written).toBe(1);
    await kernel.close();

    writeFileSync(file, 'broken '.repeat(1_000));
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
    const broken = await start(file);
    await broken.execute('2');
    expect(await ask(broken, { hist_access_type: 'tail', n: 9 })).toEqual([[1, 1, '2']]);
    expect(broken.stderr).toContain(file);
    await broken.request('shutdown_request', { restart: false }, 'control');
    await broken.close();
    expect(readFileSync(file, 'utf8')).toMatch(/^broken /);
  });
});
