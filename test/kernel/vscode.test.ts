/**
 * The messages that VS Code's Jupyter extension sends, in order, to a kernel that it starts itself (docs/frontends.md names the
 * sources): its differences from a Jupyter server must not disturb the kernel.
 */

import { once } from 'node:events';
import { field, plain, signedFrames, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

/** An execute request with the cell's address in its metadata, whose failure does not abort the queue. */
function startCell(code: string, cell: number): string {
  const id = `vscode-${cell}`;
  const header = {
    msg_id: id,
    session: 'vscode',
    username: 'u',
    date: '',
    msg_type: 'execute_request',
    version: '5.3'
  };
  const metadata = {
    cellId: `vscode-notebook-cell:/book.ipynb#W${cell}sZmlsZQ%3D%3D`,
    vscode: { languageId: 'typescript' }
  };
  const content = { code, silent: false, stop_on_error: false, allow_stdin: true, store_history: true };
  kernel.sendRaw('shell', signedFrames([header, {}, metadata, content].map(part => JSON.stringify(part))));
  return id;
}

test('two requests for kernel info without waiting are both answered, each with busy and idle', async () => {
  const ids = [1, 2].map(() => kernel.send('shell', 'kernel_info_request', {}));
  for (const id of ids) {
    expect(await kernel.reply(id)).toMatchObject({
      status: 'ok',
      language_info: {
        name: 'typescript',
        file_extension: '.ts',
        mimetype: 'text/typescript',
        pygments_lexer: 'typescript',
        nbconvert_exporter: 'script',
        codemirror_mode: expect.anything() as unknown
      }
    });
    await kernel.idle(id);
  }
});

test('widgets are requested before there are any', async () => {
  const reply = await kernel.request('comm_info_request', { target_name: 'jupyter.widget' });
  expect(reply).toEqual({ status: 'ok', comms: {} });
});

test('a failed cell does not stop queued ones, and errors name the cell and not its address', async () => {
  const cells = [
    startCell('let kept = 41', 1),
    startCell('throw new Error("no")', 2),
    startCell('kept + 1', 3)
  ];
  const [, failed, after] = await Promise.all(cells.map(id => kernel.finish(id)));
  expect(failed!.reply).toMatchObject({ status: 'error', ename: 'Error' });
  expect(plain(field<string[]>(failed!.reply, 'traceback').join('\n'))).toMatch(/Cell \[\d+\]:1:7/);
  expect(after!.result).toBe('42');
});

test('its stop button, an interrupt request on shell, reaches a cell in a busy loop', async () => {
  const id = startCell('console.log("begun"); while (true) {}', 4);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  expect(await kernel.request('interrupt_request', {}, 'shell')).toMatchObject({ status: 'ok' });
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.finish(startCell('kept', 5))).result).toBe('41');
}, 20_000);

test('completion and hover are answered while a cell runs', async () => {
  const id = startCell('console.log("again"); while (true) {}', 6);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  const completion = await kernel.request('complete_request', { code: 'Math.hyp', cursor_pos: 8 });
  expect(completion['matches']).toEqual(['hypot']);
  const hover = await kernel.request('inspect_request', { code: 'kept', cursor_pos: 2, detail_level: 0 });
  expect(field<Content>(hover, 'data')['text/plain']).toContain('let kept: number');
  await kernel.request('interrupt_request', {}, 'shell');
  await kernel.finish(id);
}, 30_000);

test('it ends the process without a shutdown request', async () => {
  const ended = once(kernel.child, 'exit');
  kernel.child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}, 20_000);
