/** The worked example of docs/data-flow.md on simulated devices; test/gpu runs it on GPUs. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../gpu/data-flow.all.alone.test.ts', import.meta.url));

test('the example runs: two streams, two kernels, a sum, its trace, its hazard, two devices', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', program], {
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      STRIDELAB_CUDA_MEMORY_MANAGER: '',
      STRIDELAB_TEST_DEVICE: 'sim:0',
      STRIDELAB_SIM_DEVICES: '2'
    }
  });
  expect({ status, output: status === 0 ? '' : stdout }).toEqual({ status: 0, output: '' });
  expect(stdout).toContain('# pass 4');
}, 30_000);

test('the page shows the tested program', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
  const source = read('../../gpu/data-flow.ts').replaceAll(/\s+/g, ' ');
  const blocks = [...read('../../../docs/data-flow.md').matchAll(/```(?:ts quoted|cpp)\n(.*?)```/gs)].map(
    ([, code]) => code as string
  );
  const shown = blocks.filter(code => !code.includes('// your own'));
  expect(shown.length).toBeGreaterThan(2);
  for (const code of shown)
    for (const part of code.split('\n// ...\n'))
      expect(source).toContain(part.trim().replaceAll(/\s+/g, ' '));
});
