/** Runs the compiled command `stridelab` as a user would, in a separate folder and environment. */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../setup/repository.ts';

export const MAIN = join(root, 'dist', 'kernel', 'cli', 'main.js');

export interface Run {
  /** Exit status, or the signal that ended the process. */
  readonly status: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Arguments for Node itself. */
  readonly node?: readonly string[];
  readonly uid?: number;
  readonly input?: string;
}

export function stridelab(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { env = {}, cwd = root, node = [], uid, input = '' } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...node, MAIN, ...args], {
      cwd,
      env: { ...process.env, VIRTUAL_ENV: undefined, CONDA_PREFIX: undefined, ...env },
      ...(uid === undefined ? {} : { uid })
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status: status ?? signal!, stdout, stderr }));
  });
}
