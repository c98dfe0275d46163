import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { KERNEL_MAIN } from './client.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const KERNEL = 'stridelab-under-test';
/** The tests in jupyter_kernel_test 0.7. */
const TESTS = [
  'clear_output',
  'completion',
  'display_data',
  'error',
  'execute_result',
  'execute_stderr',
  'execute_stdout',
  'history',
  'inspect',
  'is_complete',
  'kernel_info',
  'pager',
  'recv_iopub_welcome_msg'
];

test('passes jupyter_kernel_test completely, with no test left out', async () => {
  const folder = temporaryFolder();
  const spec = join(folder, 'kernels', KERNEL);
  mkdirSync(spec, { recursive: true });
  writeFileSync(
    join(spec, 'kernel.json'),
    JSON.stringify({
      argv: [process.execPath, KERNEL_MAIN, '{connection_file}'],
      display_name: 'TypeScript',
      language: 'typescript',
      interrupt_mode: 'message'
    })
  );
  const { status, output } = await run(
    join(root, '.venv', 'bin', 'python'),
    ['-B', '-W', 'ignore', join(root, 'test', 'kernel', 'public_suite.py'), KERNEL],
    {
      JUPYTER_PATH: folder,
      JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
      STRIDELAB_HISTORY: join(folder, 'history.sqlite')
    }
  );
  const passed = [...output.matchAll(/^test_(\w+) .*\.\.\. ok$/gm)].map(([, name]) => name);
  expect({ output: status === 0 ? '' : output, passed: passed.sort() }).toEqual({
    output: '',
    passed: TESTS
  });
}, 120_000);
