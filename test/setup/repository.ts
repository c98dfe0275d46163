import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program to its end: `output` is both streams in order, `stdout` only the first. */
export function run(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {}
): Promise<{ readonly status: number | null; readonly output: string; readonly stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe']
    });
    let output = '';
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', status => resolve({ status, output, stdout }));
  });
}
