import { capture } from './child.mjs';

const CPP20_PROBE =
  '#include <span>\n#include <concepts>\nint main() { return static_cast<int>(std::span<int>{}.size()); }\n';

/** Checks for a compiler before the build: one sentence is clearer than CMake's errors. @returns {Promise<string | undefined>} */
export async function whyNoCompiler() {
  const compilers = process.env['CXX'] ? [process.env['CXX']] : ['c++', 'g++', 'clang++'];
  /** @type {string[]} */
  const tooOld = [];
  for (const compiler of compilers) {
    const { status } = await capture(compiler, ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
      input: CPP20_PROBE
    });
    if (status === 0) return undefined;
    if (status !== 127) tooOld.push(compiler);
  }
  const found =
    tooOld.length > 0
      ? `${tooOld.join(' and ')} cannot compile C++20`
      : `none of ${compilers.join(', ')} was found`;
  return (
    `The native core needs a C++20 compiler, but ${found}: install GCC 11, Clang 14 or newer ` +
    `(on Debian and Ubuntu: apt-get install g++) or name one with CXX=/path/to/compiler.`
  );
}
