import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { paths } from '../setup/paths.mjs';

/** The Python of the machine with GPUs. */
const PYTHON = '3.12';
const PLATFORMS = ['manylinux_2_28_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64', 'any'];
const lock = join(paths.companion, 'gpu-cluster.lock');

/** Adds Dask, dask-cuda and UCX to the bundle: `python.tar.xz`, a folder for PYTHONPATH. @param {string} folder */
export async function addClusterLibraries(folder) {
  const wheels = await download();
  const staging = mkdtempSync(join(tmpdir(), 'stridelab-cluster-libraries-'));
  try {
    const unpack = [
      'import sys, zipfile',
      'for wheel in sys.argv[2:]: zipfile.ZipFile(wheel).extractall(sys.argv[1])'
    ].join('\n');
    const files = globSync(join(wheels, '*.whl'));
    await runStep('cluster-libraries', paths.python, ['-c', unpack, staging, ...files], {
      fix: 'free some disk space.'
    });
    shrink(staging);
    await runStep('cluster-archive', 'tar', ['-cJf', join(folder, 'python.tar.xz'), '-C', staging, '.'], {
      fix: 'install tar and xz (on Debian and Ubuntu: apt-get install tar xz-utils).'
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Downloads the wheels in python/gpu-cluster.lock, once. @returns {Promise<string>} their folder */
async function download() {
  const folder = join(paths.build, 'cache', 'gpu-cluster-wheels');
  const stamp = join(folder, 'lock.sha256');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const platforms = PLATFORMS.flatMap(platform => ['--platform', platform]);
  await runStep(
    'cluster-wheels',
    paths.python,
    [
      ...['-m', 'pip', 'download', '--no-deps', '--require-hashes', '--only-binary=:all:', '-r', lock],
      ...['-d', folder, '--python-version', PYTHON, ...platforms]
    ],
    { fix: 'check the connection to the Python package index.' }
  );
  writeFileSync(stamp, hash);
  return folder;
}

/** Removes what programs do not load, strips libraries, and replaces copies of a library by links. @param {string} folder */
function shrink(folder) {
  for (const pattern of [
    '**/include',
    '**/*perftest*',
    '**/tests',
    '**/bin',
    '**/cmake',
    '**/*.a',
    '**/*.pxd'
  ])
    for (const path of globSync(join(folder, pattern))) rmSync(path, { recursive: true, force: true });
  /** @type {Map<string, string>} */
  const known = new Map();
  for (const path of globSync(join(folder, '**/*.so*')).sort()) {
    if (!lstatSync(path).isFile()) continue;
    execFileSync('strip', ['--strip-unneeded', path], { stdio: 'ignore' });
    const key = `${dirname(path)} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    const first = known.get(key);
    if (first === undefined) {
      known.set(key, path);
      continue;
    }
    rmSync(path);
    symlinkSync(basename(first), path);
  }
}
