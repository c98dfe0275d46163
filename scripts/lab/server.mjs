import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailure } from '../setup/failure.mjs';
import { paths, pythonOf, root } from '../setup/paths.mjs';
import { labArguments, privateEnvironment } from './options.mjs';
import { probePort } from './port.mjs';
import { registerCheckout } from './registration.mjs';

const START_TIMEOUT_MS = 60_000;
/** JupyterLab waits five seconds for busy kernels before it ends them. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * `state` is the folder of its settings; `closed` settles when the server has exited, for any reason.
 * @typedef {{ url: string, token: string, log: string, state: string, closed: Promise<unknown>, stop: () => Promise<void> }} LabServer
 */

/**
 * Starts JupyterLab with separate settings, a token, and the kernel and the extension of this checkout.
 * The caller must stop it, also after a failure.
 * @param {object} options
 * @param {string} options.folder the server's root
 * @param {readonly string[]} [options.more] further arguments
 * @param {number} [options.port] by default any free port
 * @param {boolean} [options.browser] opens the user's browser
 * @param {string} [options.state] folder of JupyterLab's settings; by default a temporary one, deleted when it stops
 * @param {string} [options.environment] a virtual environment with another version, in which the kernel is registered
 * @param {string} [options.application] module of the server application
 * @returns {Promise<LabServer>}
 */
export async function startLabServer({
  folder,
  more = [],
  port: wanted,
  browser = false,
  state: kept,
  environment,
  application = 'jupyterlab'
}) {
  if (environment === undefined) await registerCheckout();
  const port = wanted ?? (await probePort(0));
  if (port === undefined)
    throw new SetupFailure('No port of 127.0.0.1 is free: close a program that uses many ports.');
  const state = kept ?? join(paths.build, 'jupyter', `server-${port}`);
  const token = randomBytes(24).toString('hex');
  const log = join(paths.build, 'logs', `jupyterlab-${port}.log`);
  mkdirSync(join(paths.build, 'logs'), { recursive: true });
  // In a separate process group Ctrl-C does not reach the server, so that this process can stop it in order.
  const options = [...labArguments({ port, folder }), ...(browser ? [] : ['--no-browser']), ...more];
  const variables = privateEnvironment(token, state);
  const child = spawn(environment ? pythonOf(environment) : paths.python, ['-m', application, ...options], {
    cwd: folder,
    // Another environment finds the registration in itself.
    env: environment ? { ...variables, JUPYTER_PATH: '' } : variables,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const closed = new Promise(resolve => child.once('close', resolve));
  let running = true;
  // If this process exits early, the server exits too, and shuts its kernels down.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  void closed.then(() => {
    running = false;
    process.off('exit', end);
  });

  const stop = async () => {
    if (running) {
      child.kill('SIGTERM');
      await Promise.race([closed, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      if (running && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await closed;
    }
    if (kept === undefined) rmSync(state, { recursive: true, force: true });
    file.end();
  };

  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (running && performance.now() < deadline) {
    if (await answers(url, token)) return { url, token, log, state, closed, stop };
    await sleep(50);
  }
  await stop();
  throw new SetupFailure(`JupyterLab did not start: see its log, ${relative(root, log)}.`);
}

/** @param {string} url @param {string} token @returns {Promise<boolean>} */
async function answers(url, token) {
  try {
    return (await fetch(`${url}/api/status`, { headers: { Authorization: `token ${token}` } })).ok;
  } catch {
    return false;
  }
}
