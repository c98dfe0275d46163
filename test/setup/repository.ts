import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Lets a process that loads the library's sources find them without types and compiled: half the time of its start. */
export const COMPILED_SOURCES = { NODE_COMPILE_CACHE: join(root, 'build', 'cache', 'sources') };

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

/** Runs the text of a module in a separate process, as `run` runs a program. */
export function runModule(text: string, environment: NodeJS.ProcessEnv = {}): ReturnType<typeof run> {
  return run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', text],
    { ...COMPILED_SOURCES, ...environment }
  );
}

/** Returns the JSON that the text of a module prints; throws if the process fails. */
export async function printedBy(text: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const { status, output, stdout } = await runModule(text, environment);
  if (status !== 0) throw new Error(output);
  return JSON.parse(stdout);
}
