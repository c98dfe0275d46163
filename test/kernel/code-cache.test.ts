import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitCodeCache } from '../../kernel/front/code-cache-limit.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { KernelClient, WITHOUT_TYPES } from './client.ts';

/** The files that a kernel leaves in the cache, after a cell. */
async function filesAfterKernel(
  XDG_CACHE_HOME: string,
  more: Record<string, string> = {}
): Promise<string[]> {
  const kernel = await KernelClient.start('tcp', { ...WITHOUT_TYPES, XDG_CACHE_HOME, ...more });
  try {
    expect((await kernel.execute('1 + 1')).reply).toMatchObject({ status: 'ok' });
    const exited = once(kernel.child, 'exit');
    await kernel.request('shutdown_request', { restart: false }, 'control');
    await exited;
  } finally {
    await kernel.close();
  }
  return filesIn(join(XDG_CACHE_HOME, 'stridelab', 'modules'));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)
    .sort();
}

test('a kernel leaves its compiled code, which the next one uses', async () => {
  const cache = temporaryFolder();
  const first = await filesAfterKernel(cache);
  expect(first.length).toBeGreaterThan(5);
  // Another kernel may load more, depending on its speed.
  expect(await filesAfterKernel(cache)).toEqual(expect.arrayContaining(first));
  const kernel = await KernelClient.start('tcp', {
    ...WITHOUT_TYPES,
    XDG_CACHE_HOME: cache,
    NODE_DEBUG_NATIVE: 'COMPILE_CACHE'
  });
  await kernel.close();
  expect(kernel.stderr).toMatch(/front\/serve\.js.* accepted/);
});

test('damaged files are ignored', async () => {
  const cache = temporaryFolder();
  await filesAfterKernel(cache);
  const folder = join(cache, 'stridelab', 'modules');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) writeFileSync(join(entry.parentPath, entry.name), 'damaged');
  expect((await filesAfterKernel(cache)).length).toBeGreaterThan(5);
});

test.each(['/proc/none', '/dev/null/none'])(
  'a kernel starts if the folder cannot be made: %s',
  async cache => {
    const kernel = await KernelClient.start('tcp', { ...WITHOUT_TYPES, XDG_CACHE_HOME: cache });
    try {
      expect((await kernel.execute('1 + 1')).result).toBe('2');
    } finally {
      await kernel.close();
    }
  }
);

test('a kernel starts if a file has the place of the folder, or nothing can be written to it', async () => {
  const cache = temporaryFolder();
  mkdirSync(join(cache, 'stridelab'));
  writeFileSync(join(cache, 'stridelab', 'modules'), '');
  const other = temporaryFolder();
  mkdirSync(join(other, 'stridelab', 'modules'), { recursive: true });
  chmodSync(join(other, 'stridelab', 'modules'), 0o500);
  for (const XDG_CACHE_HOME of [cache, other]) {
    const kernel = await KernelClient.start('tcp', { ...WITHOUT_TYPES, XDG_CACHE_HOME });
    try {
      expect((await kernel.execute('1 + 1')).result).toBe('2');
    } finally {
      await kernel.close();
    }
  }
});

test("Node's variable names another folder, of which nothing is removed", async () => {
  const chosen = temporaryFolder();
  const caches = temporaryFolder();
  await expect(filesAfterKernel(caches, { NODE_COMPILE_CACHE: chosen })).rejects.toThrow('ENOENT');
  expect(filesIn(chosen).length).toBeGreaterThan(5);
  expect(existsSync(join(caches, 'stridelab', 'modules'))).toBe(false);
});

test("Node's variable turns the cache off", async () => {
  expect(await filesAfterKernel(temporaryFolder(), { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
});

test('a cache with too many files is removed, and a missing one is left alone', async () => {
  const folder = temporaryFolder();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), '');
  await limitCodeCache(folder, 3);
  expect(filesIn(folder)).toHaveLength(3);
  await limitCodeCache(folder, 2);
  expect(existsSync(folder)).toBe(false);
  await limitCodeCache(folder, 2);
});
