import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Top of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program to its end; both output streams in order. */
export function run(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {}
): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe']
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', status => resolve({ status, output }));
  });
}
