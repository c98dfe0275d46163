/**
 * Builds the native core with AddressSanitizer and UndefinedBehaviorSanitizer, in a separate folder, and runs the tests of the
 * native core and of the array library with it: `npm run sanitize [-- jest arguments]`. Leaks are not reported, because
 * drivers and devices are intentionally never freed.
 */
import { join } from 'node:path';
import { capture, runForeground, runStep } from './setup/child.mjs';
import { writeNativeTables } from './setup/native-tables.mjs';
import { runtimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';

const source = join(root, 'native');
const folder = join(source, 'build-sanitize');
const addon = join(folder, 'Release', 'stridelab.node');

/** Returns the path of a sanitizer's library, which the process must load before anything else. @param {string} name */
async function library(name) {
  const { status, output } = await capture(process.env['CXX'] ?? 'c++', [`-print-file-name=${name}`]);
  if (status !== 0) throw new Error(`the compiler cannot locate ${name}: name one with sanitizers in CXX`);
  return output.trim();
}

const cmakeJs = join(paths.packages, 'cmake-js', 'bin', 'cmake-js');
const build = [cmakeJs, 'compile', '--directory', source, '--out', folder, '--CDSTRIDELAB_SANITIZE=ON'];
await writeNativeTables();
await runStep('sanitize', runtimeNode(), build, { fix: "see the compiler's errors above." });

const jest = join(paths.packages, 'jest', 'bin', 'jest.js');
const status = await runForeground(
  runtimeNode(),
  [
    '--experimental-vm-modules',
    jest,
    '--selectProjects',
    'native',
    'src',
    '--runInBand',
    '--testTimeout=60000',
    ...process.argv.slice(2)
  ],
  {
    env: {
      ...process.env,
      STRIDELAB_TEST_ADDON: addon,
      STRIDELAB_TEST_SANITIZED: '1',
      LD_PRELOAD: `${await library('libasan.so')} ${await library('libubsan.so')}`,
      ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=1:handle_segv=1',
      UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1'
    }
  }
);
if (status === 0) console.log('sanitize: clean');
process.exitCode = status;
