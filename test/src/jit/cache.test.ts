/** The disk cache: its contents, their lifetime, and damaged or read-only folders. */

import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import {
  cacheFolder,
  cacheKey,
  readCache,
  writeCache,
  type CompiledCode
} from '../../../src/compiler/cache.ts';
import { runModule } from '../../setup/repository.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

let folder: string;
const before = { ...process.env };

beforeEach(() => {
  folder = temporaryFolder();
  process.env['STRIDELAB_CACHE_DIR'] = folder;
});
afterEach(() => {
  process.env = { ...before };
});

const compiled: CompiledCode = {
  code: Buffer.from('machine\ncode\0'),
  lowered: ['_Z1kf', 'k'],
  log: 'warning: "é"\n'
};
const large = (bytes: number): CompiledCode => ({ code: Buffer.alloc(bytes, 7), lowered: [], log: '' });
const file = (key: string): string => join(folder, `${key}.code`);

describe('entries', () => {
  test('are read as they were written', () => {
    writeCache('a', compiled);
    expect(readCache('a')).toEqual(compiled);
    expect(readCache('b')).toBeUndefined();
    writeCache('a', { ...compiled, code: new Uint8Array(0) });
    expect(readCache('a')?.code).toHaveLength(0);
  });

  test('are readable by their owner only', () => {
    process.env['STRIDELAB_CACHE_DIR'] = join(folder, 'deep', 'new');
    writeCache('a', compiled);
    expect(statSync(join(folder, 'deep', 'new')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'deep', 'new', 'a.code')).mode & 0o777).toBe(0o600);
  });

  test('that were damaged anywhere are ignored, and written again', () => {
    writeCache('a', compiled);
    const whole = readFileSync(file('a'));
    for (let at = 0; at < whole.length; at++) {
      const broken = Buffer.from(whole);
      broken.writeUInt8(broken.readUInt8(at) ^ 1, at);
      writeFileSync(file('a'), broken);
      expect(readCache('a')).toBeUndefined();
    }
    for (const length of [whole.length - 1, 65, 64, 10, 0]) {
      truncateSync(file('a'), length);
      expect(readCache('a')).toBeUndefined();
    }
    writeCache('a', compiled);
    expect(readCache('a')).toEqual(compiled);
  });

  test('that are not files are ignored', () => {
    rmSync(folder, { recursive: true });
    expect(readCache('a')).toBeUndefined();
    writeFileSync(folder, 'a file in the place of the folder');
    expect(() => writeCache('a', compiled)).not.toThrow();
    expect(readCache('a')).toBeUndefined();
  });
});

describe('the folder', () => {
  test('is selected with variables', () => {
    expect(cacheFolder()).toBe(folder);
    process.env['STRIDELAB_CACHE_DIR'] = '';
    process.env['XDG_CACHE_HOME'] = '/caches';
    expect(cacheFolder()).toBe('/caches/stridelab/code');
    delete process.env['XDG_CACHE_HOME'];
    expect(cacheFolder()).toBe(join(homedir(), '.cache/stridelab/code'));
    process.env['STRIDELAB_CACHE_DIR'] = 'off';
    expect(cacheFolder()).toBeNull();
    writeCache('a', compiled);
    expect(readCache('a')).toBeUndefined();
    expect(existsSync('off')).toBe(false);
  });

  const unwritable = process.getuid?.() === 0 ? test.skip : test;
  unwritable('that cannot be written keeps nothing, and nobody is told', () => {
    chmodSync(folder, 0o500);
    expect(() => writeCache('a', compiled)).not.toThrow();
    chmodSync(folder, 0o700);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that cannot be created is ignored silently', () => {
    process.env['STRIDELAB_CACHE_DIR'] = '/dev/null/stridelab';
    expect(() => writeCache('a', compiled)).not.toThrow();
    expect(readCache('a')).toBeUndefined();
  });
});

describe('the limit', () => {
  const MEBI = 2 ** 20;
  const age = (key: string, seconds: number): void => {
    const then = Date.now() / 1000 - seconds;
    utimesSync(file(key), then, then);
  };

  test('drops the least recently used entries, where reading counts as use', () => {
    process.env['STRIDELAB_CACHE_MIB'] = '3';
    for (const [key, seconds] of [
      ['a', 300],
      ['b', 200],
      ['c', 100]
    ] as const) {
      writeCache(key, large(0.9 * MEBI));
      age(key, seconds);
    }
    expect(readCache('a')).toBeDefined();
    writeCache('d', large(0.9 * MEBI));
    expect(readdirSync(folder).sort()).toEqual(['a.code', 'c.code', 'd.code']);
  });

  test('holds for an entry that is too large by itself, and an invalid variable leaves the default', () => {
    process.env['STRIDELAB_CACHE_MIB'] = '1';
    writeCache('a', large(2 * MEBI));
    expect(readdirSync(folder)).toEqual([]);
    process.env['STRIDELAB_CACHE_MIB'] = 'much';
    writeCache('a', large(2 * MEBI));
    expect(readCache('a')).toBeDefined();
  });

  test('drops files of a process that exited, but not those that another one is writing', () => {
    writeFileSync(join(folder, 'dead.draft'), 'half');
    utimesSync(join(folder, 'dead.draft'), 1, 1);
    writeFileSync(join(folder, 'alive.draft'), 'half');
    writeFileSync(join(folder, 'notes.txt'), 'of somebody else');
    writeCache('a', compiled);
    expect(readdirSync(folder).sort()).toEqual(['a.code', 'alive.draft', 'notes.txt']);
  });
});

test('processes that write the same entries at the same time leave complete ones', async () => {
  const module = JSON.stringify(new URL('../../../src/compiler/cache.ts', import.meta.url).href);
  const writer = `
    const { readCache, writeCache } = await import(${module});
    let damaged = 0;
    for (let round = 0; round < 60; round++) {
      const key = 'k' + (round % 3);
      writeCache(key, { code: Buffer.alloc(200_000, process.pid), lowered: [String(process.pid)], log: '' });
      if (readCache(key) === undefined) damaged++;
    }
    console.log(damaged);`;
  const writers = Array.from({ length: 3 }, () => runModule(writer, { STRIDELAB_CACHE_DIR: folder }));
  for (const { status, stdout } of await Promise.all(writers))
    expect({ status, stdout }).toEqual({ status: 0, stdout: '0\n' });
  expect(readdirSync(folder).sort()).toEqual(['k0.code', 'k1.code', 'k2.code']);
  for (const key of ['k0', 'k1', 'k2']) {
    const { code, lowered } = readCache(key) as CompiledCode;
    expect(new Set(code)).toEqual(new Set([Number(lowered[0]) & 255]));
  }
});

test('keys depend on where parts end', () => {
  const keys = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['é', 'e'], ['ée']].map(cacheKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(cacheKey(['ab', 'c'])).toBe(keys[0]);
});
