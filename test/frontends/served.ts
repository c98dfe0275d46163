import { spawn } from 'node:child_process';
import { probePort } from '../../scripts/lab/port.mjs';
import { until } from '../setup/until.ts';

/** A server that a test started. */
export interface Served {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a program that serves pages on a port, and waits until it answers. */
export async function serve(
  program: string,
  argumentsFor: (port: number) => readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv }
): Promise<Served> {
  const port = (await probePort(0))!;
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, argumentsFor(port), { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise(resolve => child.once('close', resolve));
  let running = true;
  void closed.then(() => (running = false));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  const answers = (): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false
    );
  await until(async () => !running || (await answers()), 60).catch(stop);
  if (!running) throw new Error(`${program} did not serve ${url}:\n${output}`);
  return { url, stop };
}
