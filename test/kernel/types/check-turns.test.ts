/** The checks of cells leave the processors to cells that follow each other. */

import { jest } from '@jest/globals';
import type { LanguageSupport } from '../../../kernel/front/language/language-support.ts';
import { CellChecks, MAX_BESIDE } from '../../../kernel/front/types/cell-checks.ts';
import type { UserConfig } from '../../../kernel/front/typescript/user-config.ts';

/** Cells whose check was begun, in order. */
let begun: string[];
let types: 'warn' | 'strict';
let subject: CellChecks;

beforeEach(() => {
  jest.useFakeTimers();
  begun = [];
  types = 'warn';
  const language = {
    begin: () => undefined,
    end: () => undefined,
    warmUp: () => undefined,
    check: async (id: string, _isRunning?: boolean, turn?: Promise<void>): Promise<readonly []> => {
      await turn;
      begun.push(id);
      return [];
    }
  } as unknown as LanguageSupport;
  const config = { read: () => ({ stridelab: { types } }) } as unknown as UserConfig;
  subject = new CellChecks(language, config, { publish: () => undefined, tell: () => undefined });
});
afterEach(() => jest.useRealTimers());

const start = (id: string): void =>
  subject.run(
    { id, count: 1, code: '1', origin: undefined, silent: false },
    { execute: () => undefined, refuse: () => undefined }
  );
const end = (id: string): void => subject.ended(id, { status: 'ok', expressions: {} });

test('begin when no cell has started or ended for 10 ms', async () => {
  for (const id of ['a', 'b', 'c']) {
    start(id);
    await jest.advanceTimersByTimeAsync(9);
    end(id);
    await jest.advanceTimersByTimeAsync(9);
  }
  expect(begun).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('begin beside a cell that takes longer, that of the cell too', async () => {
  start('a');
  end('a');
  start('b');
  await jest.advanceTimersByTimeAsync(10);
  expect(begun).toEqual(['a', 'b']);
  end('b');
  start('c');
  await jest.advanceTimersByTimeAsync(10);
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('begin at once for a client that waits for them', async () => {
  start('a');
  end('a');
  await subject.settled();
  expect(begun).toEqual(['a']);
});

test('begin at once before a cell that waits for its own check', async () => {
  start('a');
  end('a');
  types = 'strict';
  start('b');
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(expect.arrayContaining(['a', 'b']));
});

test('begin at once if a cell must wait for the oldest', async () => {
  for (let cell = 1; cell <= MAX_BESIDE; cell += 1) {
    start(`${cell}`);
    end(`${cell}`);
  }
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([]);
  start('next');
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(MAX_BESIDE);
  await jest.advanceTimersByTimeAsync(10);
  expect(begun.at(-1)).toBe('next');
});
