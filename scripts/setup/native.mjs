import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture, runStep } from './child.mjs';
import { SetupFailure } from './failure.mjs';
import { runtimeNode } from './node.mjs';
import { paths, root } from './paths.mjs';
import { installBuildTools } from './python.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

const source = join(root, 'native');
const CPP20_PROBE =
  '#include <span>\n#include <concepts>\nint main() { return static_cast<int>(std::span<int>{}.size()); }\n';

/** Asks once before the build, so that a missing compiler is one sentence and not a page of CMake. */
async function requireCompiler() {
  const compilers = process.env['CXX'] ? [process.env['CXX']] : ['c++', 'g++', 'clang++'];
  /** @type {string[]} */
  const tooOld = [];
  for (const compiler of compilers) {
    const { status } = await capture(compiler, ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
      input: CPP20_PROBE
    });
    if (status === 0) return;
    if (status !== 127) tooOld.push(compiler);
  }
  const found =
    tooOld.length > 0
      ? `${tooOld.join(' and ')} cannot compile C++20`
      : `${compilers.join(', ')}: none was found`;
  throw new SetupFailure(
    `The native core needs a C++20 compiler, and ${found}: install GCC 11, Clang 14 or newer ` +
      `(on Debian and Ubuntu: apt-get install g++) or name one with CXX=/path/to/compiler.`
  );
}

/** The environment in which CMake is found: the system's, or the wheel's in `.venv`. */
async function environmentWithCMake() {
  const found = (/** @type {string} */ program) =>
    capture(program, ['--version']).then(({ status }) => status === 0);
  if ((await found('cmake')) && ((await found('ninja')) || (await found('make')))) return process.env;
  if (!existsSync(join(paths.venvPrograms, 'ninja'))) {
    console.log('setup: no CMake with Ninja or Make was found, installing CMake and Ninja into .venv');
    await installBuildTools();
  }
  return { ...process.env, PATH: `${paths.venvPrograms}${delimiter}${process.env['PATH'] ?? ''}` };
}

/** The addon native/build/Release/stridelab.node. Needs `.venv` to exist. */
export async function ensureNative() {
  const inputs = filesBelow(source, ['.cpp', '.cc', '.c', '.h', '.hpp', '.txt', '.cmake', '.json', '.in']);
  await refresh({
    name: 'native',
    doing: 'building the native core with cmake-js',
    hash: fingerprint(
      [...inputs, join(paths.packages, 'node-addon-api', 'package.json'), join(root, 'package.json')],
      [process.env['CXX'] ?? '', process.env['CXXFLAGS'] ?? '']
    ),
    results: [paths.addon],
    work: async () => {
      await requireCompiler();
      const cmakeJs = join(paths.packages, 'cmake-js', 'bin', 'cmake-js');
      await runStep('native', runtimeNode(), [cmakeJs, 'compile', '--directory', source], {
        env: await environmentWithCMake(),
        fix: 'the compiler says above what it could not build.'
      });
    }
  });
}
