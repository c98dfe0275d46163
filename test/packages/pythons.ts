/** The Pythons of this machine, and virtual environments that install from a folder of wheels, without a network. */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { pythonPackages } from './built.ts';

const LOCK = join(root, 'python', 'installation.lock');

/** Returns the program of a version of CPython: on PATH, or of pyenv; undefined if this machine has none. */
export function findPython(version: string): string | undefined {
  const candidates = [
    `python${version}`,
    ...globSync(join(homedir(), `.pyenv/versions/${version}.*/bin/python`))
  ];
  return candidates.find(program => {
    try {
      const question = 'import sys, ensurepip; print("%d.%d" % sys.version_info[:2])';
      return execFileSync(program, ['-c', question], { encoding: 'utf8', stdio: 'pipe' }).trim() === version;
    } catch {
      return false;
    }
  });
}

/** The version of the tests that need no other: that of Debian 12 if it is here. */
export const DEFAULT_PYTHON =
  ['3.11', '3.12', '3.13', '3.10', '3.14'].find(version => findPython(version) !== undefined) ?? '3.11';

/** Runs a program and returns its output. @throws with the output if it fails */
export async function succeed(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {}
): Promise<string> {
  const { status, output } = await run(program, args, environment);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed (${status}):\n${output}`);
  return output;
}

/** Returns a folder with the wheels in python/installation.lock for this Python, downloaded once. */
export async function wheelhouse(python: string, version: string): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  const folder = join(root, 'build', 'cache', `wheels-${version}`);
  const stamp = join(folder, 'lock.sha256');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return folder;
  mkdirSync(folder, { recursive: true });
  await succeed(python, [
    '-m',
    'pip',
    'download',
    '-q',
    '--only-binary=:all:',
    '--require-hashes',
    '-r',
    LOCK,
    '-d',
    folder
  ]);
  writeFileSync(stamp, hash);
  return folder;
}

/** A virtual environment whose programs see none of this process's environment. */
export class Environment {
  readonly folder: string;
  readonly home: string;
  readonly #wheels: string;

  private constructor(folder: string, home: string, wheels: string) {
    this.folder = folder;
    this.home = home;
    this.#wheels = wheels;
  }

  static async create(folder: string, version: string): Promise<Environment> {
    const python = findPython(version);
    if (python === undefined) throw new Error(`there is no Python ${version}`);
    const wheels = await wheelhouse(python, version);
    await succeed(python, ['-m', 'venv', folder]);
    const home = `${folder}-home`;
    mkdirSync(home, { recursive: true });
    return new Environment(folder, home, wheels);
  }

  /** Installs packages from the folder of wheels and from what was built. */
  install(...packages: readonly string[]): Promise<string> {
    const places = [this.#wheels, pythonPackages].flatMap(place => ['--find-links', place]);
    return this.run(
      'pip',
      'install',
      '-q',
      '--disable-pip-version-check',
      '--no-index',
      ...places,
      ...packages
    );
  }

  /** Runs a program of the environment with `env -i`, and returns its output. @throws if it fails */
  run(program: string, ...args: readonly string[]): Promise<string> {
    return succeed('env', [...this.#bare(), join(this.folder, 'bin', program), ...args]);
  }

  /** Runs a program of the environment, with other variables, and returns its status and output. */
  attempt(
    variables: Readonly<Record<string, string>>,
    program: string,
    ...args: readonly string[]
  ): ReturnType<typeof run> {
    const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return run('env', [...this.#bare(), ...given, join(this.folder, 'bin', program), ...args]);
  }

  #bare(): readonly string[] {
    return ['-i', `PATH=${join(this.folder, 'bin')}`, `HOME=${this.home}`, 'LANG=C.UTF-8'];
  }
}
