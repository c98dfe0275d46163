/** An interrupt that arrives during a native call ends the cell as the call returns: nothing after it runs. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);

/** Holds a lock that the cell's connection waits for, in a native call without JavaScript. */
let holder: DatabaseSync;
beforeAll(async () => {
  const file = join(kernel.folder, 'busy.db');
  holder = new DatabaseSync(file);
  const { reply } = await kernel.execute(
    `import { DatabaseSync } from 'node:sqlite';
    const waiting = new DatabaseSync(${JSON.stringify(file)}, { timeout: 120_000 });
    const take = 'BEGIN IMMEDIATE', release = 'ROLLBACK';
    let kept = 42, ran = '';`
  );
  expect(reply).toMatchObject({ status: 'ok' });
});
afterAll(() => holder.close());

/** Interrupts the cell, and releases the lock once the interrupt has been requested many times. */
async function interruptNativeCall(id: string): Promise<void> {
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.published(
    ({ parentId, content }) => parentId === id && String(content['text']).includes('waits for a native call')
  );
  holder.exec('COMMIT');
}

/** Interrupts a cell that waits for the lock, and then releases the lock. Returns the name of the cell's error and what it printed. */
async function interrupt(code: string): Promise<{ ename: unknown; stdout: string }> {
  holder.exec('BEGIN EXCLUSIVE');
  const id = kernel.startExecution(code);
  await kernel.published(
    ({ type, parentId, content }) =>
      type === 'stream' && parentId === id && String(content['text']).includes('begun')
  );
  await interruptNativeCall(id);
  const { reply, stdout } = await kernel.finish(id);
  return { ename: reply['ename'], stdout };
}

test.each([
  ['a call of Node', "waiting.exec(take); console.log('ran on');"],
  ['a call of Node inside try', "try { waiting.exec(take); console.log('ran on'); } finally { ran = 'on'; }"],
  ['another native call', 'waiting.exec(take); waiting.exec(release); ran = `on`;'],
  ['an assignment', "waiting.exec(take); ran = 'on'; ran"],
  ['nothing', 'waiting.exec(take)'],
  ['an await', 'await waiting.exec(take); ran = `on`;'],
  [
    'a call in a function',
    "const hold = () => { waiting.exec(take); ran = 'on'; }; hold(); console.log('ran on');"
  ],
  [
    'a call in a timer',
    "setTimeout(() => { waiting.exec(take); console.log('ran on'); }, 1); await new Promise(() => {});"
  ],
  ['a loop', 'waiting.exec(take); while (true) ran = `in a loop`;']
])(
  'a native call before %s',
  async (name, code) => {
    const { ename, stdout } = await interrupt(`console.log('begun'); ${code}`);
    expect({ ename, stdout }).toEqual({ ename: 'Interrupted', stdout: 'begun\n' });
    const probe =
      "ran += ''; const seen = ran; ran = ''; if (waiting.isTransaction) waiting.exec(release); [kept, seen]";
    const { result } = await kernel.execute(probe);
    // Within a function V8 has no chance to stop an assignment.
    if (name !== 'a call in a function') expect(result).toMatch(/^\[ 42, '' \]$/);
    else expect(result).toContain('42');
  },
  60_000
);

test('the cells after it are aborted', async () => {
  holder.exec('BEGIN EXCLUSIVE');
  const id = kernel.startExecution("console.log('begun'); waiting.exec(take)");
  const queued = kernel.startExecution("console.log('ran on')");
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  // Replies are in order of the shell: by now the second cell has been read too.
  await kernel.request('history_request', { hist_access_type: 'tail', n: 1 });
  await interruptNativeCall(id);
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  expect(await kernel.finish(queued)).toMatchObject({ reply: { ename: 'Aborted' }, stdout: '' });
  await kernel.execute('if (waiting.isTransaction) waiting.exec(release)');
}, 60_000);
