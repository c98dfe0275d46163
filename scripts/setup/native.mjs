import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { capture, runStep } from './child.mjs';
import { whyNoCompiler } from './compiler.mjs';
import { SetupFailure } from './failure.mjs';
import { nativeTables, writeNativeTables } from './native-tables.mjs';
import { runtimeNode } from './node.mjs';
import { paths, root } from './paths.mjs';
import { percentOf } from './progress.mjs';
import { ensureBuildTools } from './python.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

const source = join(root, 'native');
const cmakeJs = join(paths.packages, 'cmake-js', 'bin', 'cmake-js');

/** Returns an environment with CMake on PATH: the system's, or that of the wheel in `.venv`. */
async function environmentWithCMake() {
  const found = (/** @type {string} */ program) =>
    capture(program, ['--version']).then(({ status }) => status === 0);
  if ((await found('cmake')) && ((await found('ninja')) || (await found('make')))) return process.env;
  await ensureBuildTools();
  return { ...process.env, PATH: `${paths.venvPrograms}${delimiter}${process.env['PATH'] ?? ''}` };
}

/**
 * Configures the native core with CMake in a folder, without building it, for tools that read the compile commands.
 * @param {string} folder
 * @param {Record<string, string>} definitions of CMake
 */
export async function configureNative(folder, definitions) {
  const given = Object.entries(definitions).map(([name, value]) => `--CD${name}=${value}`);
  await runStep(
    'configure-native',
    runtimeNode(),
    [cmakeJs, 'configure', '--directory', source, '--out', folder, ...given],
    { env: await environmentWithCMake(), fix: "see CMake's errors above." }
  );
}

/** Returns the files that the addons are built from. @returns {Promise<string[]>} */
export async function nativeInputs() {
  await writeNativeTables();
  return [
    ...filesBelow(source, ['.cpp', '.cc', '.c', '.h', '.hpp', '.txt', '.cmake', '.json', '.in']),
    ...nativeTables,
    join(paths.packages, 'node-addon-api', 'package.json')
  ];
}

/** Returns the only field of package.json that CMake reads. */
export const nativeVersion = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/**
 * Compiles the addons into `Release` below a folder.
 * @param {string} folder
 * @param {import('./progress.mjs').Progress} progress
 * @param {Record<string, string>} [definitions] of CMake
 * @param {NodeJS.ProcessEnv} [variables] for the compiler
 */
export async function compileNative(folder, progress, definitions = {}, variables = {}) {
  const given = Object.entries(definitions).map(([name, value]) => `--CD${name}=${value}`);
  await runStep(
    'native',
    runtimeNode(),
    [cmakeJs, 'compile', '--directory', source, '--out', folder, ...given],
    {
      env: { ...(await environmentWithCMake()), ...variables },
      onOutput: text => {
        const percent = percentOf(text);
        if (percent !== undefined) progress.at(`${percent} %`);
      },
      fix: "see the compiler's errors above."
    }
  );
}

/** Builds the addons in native/build/Release. Needs `.venv`. */
export async function ensureNative() {
  const inputs = await nativeInputs();
  await refresh({
    name: 'native',
    doing: 'building the native core',
    hash: fingerprint(inputs, [nativeVersion(), process.env['CXX'] ?? '', process.env['CXXFLAGS'] ?? '']),
    results: [paths.addon, paths.interruptsAddon],
    work: async progress => {
      const reason = await whyNoCompiler();
      if (reason !== undefined) throw new SetupFailure(reason);
      await compileNative(join(source, 'build'), progress);
    }
  });
}
