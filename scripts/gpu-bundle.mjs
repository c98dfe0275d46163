/**
 * `npm run gpu-bundle [FOLDER]`: makes a folder (.gpu by default) with Node, the compiled product and test/gpu. On any
 * Linux x86-64 machine with a CUDA driver, bash, tar and xz run `bash FOLDER/run.sh`.
 */
import './setup/minimum-node.mjs';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { DRIVER_FLAGS } from '../bench/peers/run.mjs';
import { buildAddon } from '../test/addon/build.mjs';
import { addClusterLibraries } from './bundle/cluster-libraries.mjs';
import { addNodeBinary } from './bundle/node-binary.mjs';
import { copyRunTimePackages } from './bundle/run-time-packages.mjs';
import { runStep } from './setup/child.mjs';
import { runCommand, SetupFailure } from './setup/failure.mjs';
import { ensureNative } from './setup/native.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

const LIMIT_MIB = 60;
/** The files that the tests and the kernel load, with their paths in the repository. */
const PRODUCT = [
  'package.json',
  'LICENSE',
  'dist/src',
  'src/base/rules.json',
  'dist/kernel',
  'test/gpu',
  'test/src/kernels/fuzz',
  'test/oracle',
  'test/setup/free-ports.ts',
  'test/setup/until.ts',
  'test/addon',
  'build/test-addon/exchange.node',
  'native/include/stridelab.h',
  'bench',
  'notebooks',
  'python/stridelab',
  'native/build/Release/stridelab.node',
  'native/build/Release/interrupts.node'
];

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new SetupFailure(
        `The bundle contains programs built here for Linux on x86-64, but this is ${process.platform}-${process.arch}: run this command on Linux on x86-64.`
      );
    await ensureNative();
    await ensureTypeScript();
    buildAddon();
    const folder = resolve(process.argv[2] ?? join(root, '.gpu'));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await addNodeBinary(folder);
    await addProduct(folder);
    await addClusterLibraries(folder);
    copyFileSync(new URL('bundle/run.sh', import.meta.url), join(folder, 'run.sh'));
    chmodSync(join(folder, 'run.sh'), 0o755);
    return report(folder);
  })
);

/** @param {string} folder */
async function addProduct(folder) {
  const staging = mkdtempSync(join(tmpdir(), 'stridelab-bundle-'));
  try {
    for (const path of PRODUCT)
      cpSync(join(root, path), join(staging, path), {
        recursive: true,
        preserveTimestamps: true, // the addon of the tests is rebuilt if a source is newer
        // Declarations stay: cells are type-checked against them.
        filter: source => !/\.(map|tsbuildinfo)$/.test(source)
      });
    await addDriverProgram(join(staging, 'bench', 'peers'));
    copyRunTimePackages(staging);
    await runStep('bundle', 'tar', ['-cJf', join(folder, 'product.tar.xz'), '-C', staging, '.'], {
      fix: 'install tar and xz (on Debian and Ubuntu: apt-get install tar xz-utils).'
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Compiles the benchmark of the driver alone, because the target machine may have no compiler. @param {string} folder */
async function addDriverProgram(folder) {
  const args = [...DRIVER_FLAGS, join(folder, 'driver.cc'), '-o', join(folder, 'driver'), '-ldl'];
  await runStep('driver-program', 'c++', args, {
    fix: 'install a C++17 compiler (on Debian and Ubuntu: apt-get install g++).'
  });
}

/** @param {string} folder */
function report(folder) {
  const files = readdirSync(folder).map(name => ({
    name,
    size: statSync(join(folder, name)).size / 2 ** 20
  }));
  for (const { name, size } of files) console.log(`${name.padEnd(16)} ${size.toFixed(1).padStart(6)} MiB`);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  console.log(
    `${relative(root, folder) || folder}: ${total.toFixed(1)} MiB; run it with bash ${relative(root, folder)}/run.sh`
  );
  if (total < LIMIT_MIB) return 0;
  console.error(`the bundle is larger than ${LIMIT_MIB} MiB`);
  return 1;
}
