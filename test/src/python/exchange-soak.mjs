/** Passes arrays to Python 100,000 times: `exchange-soak.mjs PYTHON turns|synchronous`. Prints MiB of growth and leaked objects. */
import { setImmediate } from 'node:timers/promises';

import { defaultDevice, python, zeros } from '../../../dist/src/index.js';
import { giveBackKeptMemory } from '../../../dist/src/memory/manager/kept-memory.js';
import { native } from '../../../dist/src/native/load.js';

const [, , executable, mode] = process.argv;
const TIMES = 100_000;
const ELEMENTS = 1024;
python.start({ python: executable });
python.run(`import gc, numpy as np
seen = [0, 0]
def take(a):
    seen[0] += 1
    seen[1] += int(np.from_dlpack(a)[0]) + int(np.asarray(a)[-1])
    return a`);
const take = python.evaluate('take');

async function exchange(times) {
  for (let time = 0; time < times; time++) {
    using a = zeros([ELEMENTS], { dtype: 'float64' });
    using back = take(a);
    if (back.storage !== a.storage) throw new Error('another storage came back');
    if (mode === 'turns' && time % 500 === 0) await setImmediate();
  }
}

await exchange(TIMES / 10);
const before = process.memoryUsage().rss;
const started = performance.now();
await exchange(TIMES);
const each = ((performance.now() - started) / TIMES) * 1e3;
const grown = (process.memoryUsage().rss - before) / 2 ** 20;
await setImmediate();
giveBackKeptMemory(defaultDevice());
native().drainReleases(true);
const seen = python.toJS(python.evaluate('seen'));
process.stdout.write(JSON.stringify({ grown, each, seen, live: native().liveBlocks().count }));
process.exit(0);
