import { dirname, join, relative, sep } from 'node:path';
import { SetupFailure } from '../setup/failure.mjs';
import { paths, root } from '../setup/paths.mjs';
import { startLabServer } from './server.mjs';

/** Settings, workspaces and history of `npm start`, separate from those of headless runs and tests. */
const state = join(paths.build, 'start');
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs JupyterLab until Ctrl-C. Its messages go to a log file, so that its address stays visible.
 * @param {number} port
 * @param {{ notebook: string, browser: boolean }} options
 * @returns {Promise<number>} exit status
 */
export async function runInteractive(port, { notebook, browser }) {
  let asked = false;
  /** @type {() => void} */
  let ask = () => {};
  const interruption = new Promise(resolve => {
    ask = () => {
      asked = true;
      resolve(undefined);
    };
  });
  for (const signal of SIGNALS) process.on(signal, ask);
  try {
    const inside = relative(root, notebook);
    const folder = inside.startsWith('..') ? dirname(notebook) : root;
    const page = `/lab/tree/${relative(folder, notebook).split(sep).map(encodeURIComponent).join('/')}`;
    console.log('starting JupyterLab');
    // The notebook is the default address, so that the browser opens on it.
    const more = [`--LabApp.default_url=${page}`];
    const server = await startLabServer({ folder, more, port, browser, state });
    console.log(`
JupyterLab runs at ${server.url}${page}?token=${server.token}
Press Ctrl-C to stop it and its kernels. Its log is ${relative(root, server.log)}.`);
    await Promise.race([server.closed, interruption]);
    if (!asked)
      throw new SetupFailure(`JupyterLab exited unexpectedly: see its log, ${relative(root, server.log)}.`);
    console.log('\nstopping JupyterLab and its kernels');
    await server.stop();
    return 0;
  } finally {
    for (const signal of SIGNALS) process.off(signal, ask);
  }
}
