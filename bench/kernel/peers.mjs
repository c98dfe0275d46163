/**
 * The compared kernels: Stridelab's and the peers, which are installed on demand into build/bench-peers. ijavascript is not one of them: its
 * zeromq 5 has no program for Node 24, and building one downloads sources from outside npm.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'build', 'bench-peers');
const packagedNode = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
const INSTALL_TIMEOUT_MS = 180_000;
/** The packages with Deno's program. @type {Readonly<Record<string, string>>} */
const DENO = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64'
};

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} version
 * @property {'ts' | 'py'} language
 * @property {readonly string[]} argv as in a kernelspec
 * @property {'message' | 'signal'} interrupt as in a kernelspec
 * @property {NodeJS.ProcessEnv} [env]
 */

/** @returns {Peer} */
export function stridelab() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const main = join(root, 'dist', 'kernel', 'front', 'main.js');
  return {
    name: 'Stridelab',
    version,
    language: 'ts',
    // The kernel needs Node 24: the packaged one, if this process runs on an older one.
    argv: [existsSync(packagedNode) ? packagedNode : process.execPath, main, '{connection_file}'],
    interrupt: 'message',
    // Does not use the user's history.
    env: { STRIDELAB_HISTORY: 'off' }
  };
}

/** Installs missing peers. @returns {{ peers: Peer[], notes: string[] }} a note for each peer that cannot be installed */
export function findPeers() {
  /** @type {Peer[]} */ const peers = [];
  /** @type {string[]} */ const notes = [];
  for (const find of [tslab, deno, ipykernel]) {
    try {
      peers.push(find());
    } catch (error) {
      notes.push(`${find.name}: ${/** @type {Error} */ (error).message}`);
    }
  }
  return { peers, notes };
}

/** @returns {Peer} */
function tslab() {
  // It searches for Node's types in its own folder, so nothing may be hoisted.
  const at = npmPackage('tslab', '1.0.22');
  return {
    name: 'tslab',
    version: '1.0.22',
    language: 'ts',
    argv: [process.execPath, join(at, 'bin', 'tslab'), 'kernel', '--config-path', '{connection_file}'],
    interrupt: 'signal'
  };
}

/** @returns {Peer} */
function deno() {
  // The package of this platform: the package `deno` only lists it as optional, and works without it until it is run.
  const at = npmPackage(DENO[`${process.platform}-${process.arch}`] ?? 'deno', '2.9.6');
  return {
    name: 'Deno',
    version: '2.9.6',
    language: 'ts',
    argv: [join(at, 'deno'), 'jupyter', '--kernel', '--conn', '{connection_file}'],
    interrupt: 'message',
    env: { DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(folder, 'deno-cache') }
  };
}

/** @returns {Peer} */
function ipykernel() {
  const python = join(root, '.venv', 'bin', 'python');
  const { status, stdout } = spawnSync(python, ['-c', 'import ipykernel; print(ipykernel.__version__)'], {
    encoding: 'utf8'
  });
  if (status !== 0) throw new Error(`${python} has no ipykernel`);
  return {
    name: 'ipykernel',
    version: stdout.trim(),
    language: 'py',
    argv: [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
    interrupt: 'signal'
  };
}

/**
 * Installs a package into a separate folder, and returns its path.
 * @param {string} name @param {string} version
 */
function npmPackage(name, version) {
  const home = join(folder, name);
  const at = join(home, 'node_modules', name);
  if (existsSync(at)) return at;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-save', '--install-strategy=nested', `${name}@${version}`],
    { cwd: home, encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS }
  );
  if (status !== 0) throw new Error(`npm cannot install it: ${error?.message ?? reason(stderr)}`);
  return at;
}

/** @param {string} log of npm */
function reason(log) {
  const told = log
    .split('\n')
    .filter(line => /gyp ERR! (stack Error|not ok)|npm error code|ENOTFOUND|E404/.test(line));
  return (
    told.map(line => line.replace(/^npm error( gyp ERR!)?( stack)?/, '').trim()).join('; ') ||
    log.trim().slice(-200)
  );
}
