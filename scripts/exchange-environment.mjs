/** `npm run exchange-environment`: creates `.venv-exchange` with the libraries of the exchange tests, which otherwise use only NumPy. */
import './setup/minimum-node.mjs';
import { runCommand } from './setup/failure.mjs';
import { ensureExchangeLibraries } from './setup/python.mjs';
import { underRuntimeNode } from './setup/node.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureExchangeLibraries();
    return 0;
  })
);
