import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SetupFailure } from './failure.mjs';
import { paths, root } from './paths.mjs';

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv }} ChildOptions */

/**
 * Runs a program in the foreground of the terminal and returns its exit status.
 * Ctrl-C reaches the whole foreground group, so this process only waits for the child to exit.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {ChildOptions} [options]
 * @returns {Promise<number>}
 */
export function runForeground(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: 'inherit'
    });
    const leave = () => {};
    const pass = () => child.kill('SIGTERM');
    process.on('SIGINT', leave);
    process.on('SIGTERM', pass);
    child.once('error', reject);
    child.once('close', status => {
      process.off('SIGINT', leave);
      process.off('SIGTERM', pass);
      resolve(status ?? 1);
    });
  });
}

/**
 * Runs a program and collects its output, both streams in order.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {ChildOptions & { input?: string, onOutput?: (text: string) => void }} [options] `onOutput` receives the output as it arrives
 * @returns {Promise<{ status: number, output: string }>} status 127 if the program cannot be started
 */
export function capture(program, args, options = {}) {
  return new Promise(resolve => {
    const child = spawn(program, args, { cwd: options.cwd ?? root, env: options.env ?? process.env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        const text = String(chunk);
        output += text;
        options.onOutput?.(text);
      });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.once('error', error => resolve({ status: 127, output: error.message }));
    child.once('close', status => resolve({ status: status ?? 1, output }));
  });
}

/**
 * Runs one step of the set-up quietly. On failure throws the first and last lines, and keeps the whole log in build/logs.
 * @param {string} label short name, also the log's file name
 * @param {string} program
 * @param {readonly string[]} args
 * @param {ChildOptions & { fix: string, onOutput?: (text: string) => void }} options `fix` ends the error message
 */
export async function runStep(label, program, args, options) {
  const { status, output } = await capture(program, args, options);
  if (status === 0) return;
  const log = join(paths.build, 'logs', `${label}.log`);
  mkdirSync(join(paths.build, 'logs'), { recursive: true });
  writeFileSync(log, output);
  const lines = output.trimEnd().split('\n');
  const shown = [...lines.slice(0, 20), ...(lines.length > 60 ? ['...'] : []), ...lines.slice(20).slice(-40)];
  throw new SetupFailure(
    `${shown.join('\n')}\n\nThe step "${label}" failed (whole log: ${relative(root, log)}): ${options.fix}`
  );
}
