/** `npm run exchange-environment`: `.venv-exchange` with the libraries that the tests exchange arrays with. Without it they use NumPy alone. */
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
