import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutorEnd } from '../../kernel/front/executor/executor-loss.ts';
import { ExecutorProcess } from '../../kernel/front/executor/executor-process.ts';
import { pass } from '../setup/until.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** Starts an executor whose Node runs `code` instead, and follows it after `ms`. Resolves with its end and its native output. */
async function ended(code: string, ms: number): Promise<{ end: ExecutorEnd; output: string }> {
  const preload = join(temporaryFolder(), 'preload.cjs');
  writeFileSync(preload, code);
  const options = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `--require ${preload}`;
  const executor = new ExecutorProcess();
  if (options === undefined) delete process.env['NODE_OPTIONS'];
  else process.env['NODE_OPTIONS'] = options;
  if (ms > 0) await pass(ms, 'the process must end unobserved');
  let output = '';
  return new Promise(resolve => {
    executor.follow({
      message: () => undefined,
      nativeOutput: (_, text) => (output += text),
      inNativeCode: () => undefined,
      leftRunning: () => undefined,
      died: end => resolve({ end, output })
    });
  });
}

test.each([0, 1_000])(
  'an executor that ends at once is reported to a front that follows after %d ms',
  async ms => {
    const { end, output } = await ended("process.stderr.write('last words'); process.exit(3);", ms);
    expect(end).toEqual({ code: 3, signal: null, lastWords: 'last words' });
    expect(output).toBe('last words');
  }
);

test('a signal that ended it before is reported', async () => {
  const { end } = await ended("process.kill(process.pid, 'SIGKILL'); while (true) {}", 1_000);
  expect(end).toMatchObject({ code: null, signal: 'SIGKILL' });
});
