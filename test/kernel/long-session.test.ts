/** What cells leave behind in the kernel is bounded, whatever their number. */

import { jest } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { CellSources } from '../../kernel/executor/context/cell-sources.ts';
import { compileCell } from '../../kernel/executor/transform/compile-cell.ts';
import { NotebookNames } from '../../kernel/executor/transform/names.ts';
import type { Position } from '../../kernel/executor/transform/positions.ts';
import type { LanguageSupport } from '../../kernel/front/language/language-support.ts';
import { StreamGatherer } from '../../kernel/front/output/stream-gatherer.ts';
import { CellChecks, MAX_BESIDE, type Refusal } from '../../kernel/front/types/cell-checks.ts';
import { LanguageService } from '../../kernel/front/typescript/language-service.ts';
import type { SupervisedServer } from '../../kernel/front/typescript/supervised-server.ts';
import type { UserConfig } from '../../kernel/front/typescript/user-config.ts';

describe('the sources of cells', () => {
  const start: Position = { line: 1, column: 0 };
  const added = (cells: CellSources, count: number, source = 'x'): void => {
    for (let number = 1; number <= count; number += 1)
      cells.add({ label: cells.label(number), source, toSource: position => position });
  };

  test('are kept of the latest 5,000 cells', () => {
    const cells = new CellSources();
    added(cells, 5_003);
    const isKept = (number: number): boolean => cells.find(cells.file(`Cell [${number}]`), start) !== null;
    expect([1, 3, 4, 5_003].map(isKept)).toEqual([false, false, true, true]);
    added(cells, 3);
    expect([1, 3, 4, 6, 7].map(isKept)).toEqual([true, true, false, false, true]);
    // Cells that run again under their names displace no others.
    added(cells, 3);
    expect([1, 3, 6, 7].map(isKept)).toEqual([true, true, false, true]);
  });

  test('are kept of fewer cells if they are long, and always of the latest', () => {
    const cells = new CellSources();
    added(cells, 10, 'x'.repeat(1_000_000));
    expect(cells.latestFirst().map(({ label }) => label)).toEqual([10, 9, 8, 7].map(n => `Cell [${n}]`));
    cells.add({ label: 'Cell [11]', source: 'x'.repeat(10_000_000), toSource: position => position });
    expect(cells.latestFirst().map(({ label }) => label)).toEqual(['Cell [11]']);
    added(cells, 1);
    expect(cells.latestFirst().map(({ label }) => label)).toEqual(['Cell [1]']);
  });

  test('become compact after 200 further cells, and still map to the same lines and words', () => {
    const source = 'interface W { a: number }\n\nlet w1 = 1;\nconst w2: W = { a: await w1.beta.gamma };';
    const { script, toSource, compact } = compileCell(source, new NotebookNames());
    const cells = new CellSources();
    cells.add({ label: 'Cell [1]', source, toSource, compact });
    const lines = script.split('\n');
    const line = lines.findIndex(text => text.includes('w1.beta'));
    const found = (text: string, within = 0): Position | null => {
      const column = lines[line]!.indexOf(text) + within;
      return cells.find(cells.file('Cell [1]'), { line: line + 1, column })!.position;
    };
    const exact = ['w1', 'beta', 'gamma'].map(word => found(word));
    const added = { line: 1, column: 0 };
    const afterAdded = cells.find(cells.file('Cell [1]'), added)!.position;
    expect(exact).toEqual(
      ['w1', 'beta', 'gamma'].map(word => ({ line: 4, column: source.split('\n')[3]!.indexOf(word) }))
    );
    for (let number = 2; number <= 201; number += 1)
      cells.add({ label: cells.label(number), source: 'x', toSource: position => position });
    expect(['w1', 'beta', 'gamma'].map(word => found(word))).toEqual(exact);
    expect(found('gamma', 2)).toEqual(exact[2]);
    expect(cells.find(cells.file('Cell [1]'), added)!.position).toEqual(afterAdded);
  });
});

test('of characters that arrive in parts, those of the last 200 streams are remembered', () => {
  const texts = new Map<string, string>();
  const streams = new StreamGatherer((cell, _type, content) =>
    texts.set(cell, (texts.get(cell) ?? '') + (content as { text: string }).text)
  );
  const [first, second] = [Buffer.from([0xc3]), Buffer.from([0xa9])];
  for (let cell = 0; cell <= 200; cell += 1) streams.appendBytes(`cell ${cell}`, 'stdout', first);
  for (let cell = 200; cell >= 0; cell -= 1) streams.appendBytes(`cell ${cell}`, 'stdout', second);
  streams.flush();
  expect(texts.get('cell 0')).toBe('\ufffd');
  for (let cell = 1; cell <= 200; cell += 1) expect(texts.get(`cell ${cell}`)).toBe('é');
});

describe('checks that are slower than their cells', () => {
  /** Ends the checks of cells, in the order in which they began. */
  let checks: (() => void)[];
  let executed: string[];
  let refused: Refusal[];
  let subject: CellChecks;
  beforeEach(() => {
    checks = [];
    executed = [];
    refused = [];
    const language = {
      begin: () => undefined,
      end: () => undefined,
      reset: () => undefined,
      check: () => new Promise<readonly []>(resolve => checks.push(() => resolve([])))
    } as unknown as LanguageSupport;
    const config = { read: () => ({ stridelab: { typesDeadline: 60_000 } }) } as unknown as UserConfig;
    subject = new CellChecks(language, config, { publish: () => undefined, tell: () => undefined });
  });
  const run = (id: string): void =>
    subject.run(
      { id, count: 1, code: '1', origin: undefined, silent: false },
      { execute: () => executed.push(id), refuse: refusal => refused.push(refusal) }
    );
  const fill = (): void => {
    for (let cell = 1; cell <= MAX_BESIDE; cell += 1) run(`cell ${cell}`);
    expect([executed.length, checks.length]).toEqual([MAX_BESIDE, MAX_BESIDE]);
  };

  test('hold up the next cell when many wait, until the oldest has ended', async () => {
    fill();
    run('next');
    await turn();
    expect(executed).not.toContain('next');
    checks.shift()!();
    await turn();
    expect(executed.at(-1)).toBe('next');
    expect(checks).toHaveLength(MAX_BESIDE);
  });

  test('hold up no cell that is interrupted, or whose executor has ended', async () => {
    fill();
    run('interrupted');
    subject.interrupt();
    expect(refused.map(({ ename }) => ename)).toEqual(['Interrupted']);
    run('forgotten');
    subject.reset();
    checks.forEach(end => end());
    await turn();
    expect([executed.length, refused.length]).toEqual([MAX_BESIDE, 1]);
  });

  test('hold up no cell for longer than the deadline', () => {
    jest.useFakeTimers();
    try {
      fill();
      run('late');
      jest.advanceTimersByTime(59_999);
      expect(executed).not.toContain('late');
      jest.advanceTimersByTime(1);
      expect(executed.at(-1)).toBe('late');
    } finally {
      jest.useRealTimers();
    }
  });
});

test('checks that later cells overtook leave no documents in the server', async () => {
  const documents = new Set<string>();
  const server = {
    write: (file: string) => void documents.add(file),
    remove: (file: string) => void documents.delete(file),
    uri: (file: string) => file,
    request: () => Promise.resolve({ items: [] }),
    filesChanged: () => undefined,
    scratchFolder: '/scratch'
  } as unknown as SupervisedServer;
  const config = {
    path: undefined,
    fault: undefined,
    compilerOptions: {},
    stridelab: {},
    resolvePaths: () => []
  };
  const service = new LanguageService('/folder', server, () => config, {} as never);
  const checks: Promise<unknown>[] = [];
  for (let n = 0; n < 50; n += 1) {
    const module = service.begin(`let count = ${n}`);
    checks.push(service.check(module));
    if (n % 5 === 4) service.drop(module);
    else service.commit(module);
  }
  await Promise.all(checks);
  await turn();
  const cells = [...documents].filter(file => /cell_\d/.test(file));
  expect(cells).toEqual(['__stridelab_cell_49_js.js']);
});
