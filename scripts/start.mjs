/**
 * `npm start`: sets up what is missing and opens JupyterLab on the tour.
 *   --headless [NOTEBOOK]  runs every cell on such a server instead, and writes build/NAME.ipynb and build/NAME.html
 *   --output-dir FOLDER    another folder than build, for --headless
 *   --no-browser           starts JupyterLab and only prints its address
 *   --port N               exactly this port
 */
import './setup/minimum-node.mjs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nextFreePort, probePort } from './lab/port.mjs';
import { runHeadless } from './lab/headless.mjs';
import { runInteractive } from './lab/interactive.mjs';
import { ensureAll } from './setup/all.mjs';
import { runCommand, SetupFailure } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { paths } from './setup/paths.mjs';

const DEFAULT_PORT = 8888;

await runCommand(async () => {
  const options = readOptions();
  return underRuntimeNode(import.meta.url, async () => {
    // The port is checked first, so that a used port is reported before the build.
    const port = options.headless ? 0 : await choosePort(options.port);
    await ensureAll();
    return options.headless ? runHeadless(options.notebook, options.target) : runInteractive(port, options);
  });
});

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        headless: { type: 'boolean', default: false },
        'output-dir': { type: 'string', default: paths.build },
        'no-browser': { type: 'boolean', default: false },
        port: { type: 'string' }
      }
    });
    return {
      headless: values.headless,
      target: resolve(values['output-dir']),
      browser: !values['no-browser'],
      port: values.port === undefined ? undefined : portNumber(values.port),
      notebook: positionals[0] === undefined ? paths.tour : resolve(positionals[0])
    };
  } catch (error) {
    if (error instanceof SetupFailure || !(error instanceof Error)) throw error;
    throw new SetupFailure(
      `${error.message} Options: --headless [NOTEBOOK], --output-dir FOLDER, --no-browser, --port N.`
    );
  }
}

/** @param {string} text */
function portNumber(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new SetupFailure(`--port "${text}" is not a port: give a whole number from 1 to 65535.`);
}

/** @param {number | undefined} wanted @returns {Promise<number>} */
async function choosePort(wanted) {
  if (wanted === undefined) {
    const port = await nextFreePort(DEFAULT_PORT);
    if (port !== DEFAULT_PORT) console.log(`port ${DEFAULT_PORT} is in use, using ${port}`);
    return port;
  }
  if ((await probePort(wanted)) !== undefined) return wanted;
  throw new SetupFailure(
    `Port ${wanted} is in use: stop the program that listens on it, or give another --port.`
  );
}
