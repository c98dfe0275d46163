/** What an interrupt cannot end is reported. */

import { WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);

/** Interrupts a cell that printed `begun`, and returns the id of its request. */
async function interrupt(code: string): Promise<string> {
  const id = kernel.startExecution(code);
  await kernel.published(
    ({ type, parentId, content }) =>
      type === 'stream' && parentId === id && String(content['text']).includes('begun')
  );
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  return id;
}

/** Returns the text on stderr that contains these words. */
async function told(id: string, words: string): Promise<string> {
  const { content } = await kernel.published(
    ({ parentId, content: { name, text } }) =>
      parentId === id && name === 'stderr' && String(text).includes(words)
  );
  return String(content['text']);
}

test('a process that ignores SIGINT, with its number and command, once', async () => {
  const id = await interrupt(`
    const { spawn } = require('node:child_process');
    var stubborn = spawn('sh', ['-c', 'trap "" INT; echo begun; exec sleep 300'], { stdio: 'inherit' });
    spawn('sleep', ['301']);
    await new Promise(() => {});`);
  const text = await told(id, 'still runs after the interrupt');
  const { result } = await kernel.execute('stubborn.pid');
  expect(text).toBe(
    `A process that a cell started still runs after the interrupt: pid ${result}, sleep 300. To end it: process.kill(${result}, 'SIGKILL')\n`
  );
  // The process of this cell is reported, the earlier one not again.
  const next = await interrupt(`
    var other = spawn('sh', ['-c', 'trap "" INT; echo begun; exec sleep 302'], { stdio: 'inherit' });
    await new Promise(() => {});`);
  expect((await told(next, 'still runs')).match(/sleep \d+/g)).toEqual(['sleep 302']);
  const ended =
    "const ends = [stubborn, other].map(child => require('node:events').once(child, 'exit')); [stubborn, other].map(child => child.kill('SIGKILL')); (await Promise.all(ends)).join()";
  expect((await kernel.execute(ended)).result).toBe("',SIGKILL,,SIGKILL'");
}, 60_000);

test('native code on a thread', async () => {
  const id = await interrupt(`
    require('node:crypto').pbkdf2('secret', 'salt', 2 ** 31 - 1, 64, 'sha512', () => {});
    console.log('begun');
    await new Promise(() => {});`);
  expect(await told(id, 'Native code')).toMatch(/^Native code still runs on 1 thread after the interrupt/);
}, 60_000);
