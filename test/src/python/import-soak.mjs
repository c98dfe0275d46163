/**
 * Imports many arrays from Python in a separate process: `import-soak.mjs PYTHON EXPRESSION VIA HOW COUNT`. HOW is `dispose`,
 * `turns` (without dispose, with turns of the event loop) or `synchronous` (without either). Prints JSON: MiB after a fifth of the run and
 * at the end, Python handles at the end, wrong sums.
 */

import { python } from '../../../dist/src/index.js';
import { native } from '../../../dist/src/native/load.js';

const [executable, expression, via, how, count] = process.argv.slice(2);
python.start({ python: executable });
python.run(`
import array, ctypes
${/\b(np|torch)\b/.test(expression) ? `import ${expression.includes('torch') ? 'torch' : 'numpy as np'}` : ''}
class Counted:
    """An object with one protocol, over memory of its own."""
    def __init__(self):
        self.memory = array.array("d", [1.0]) * 1024
    @property
    def __array_interface__(self):
        return dict(shape=(1024,), typestr="<f8", data=(self.memory.buffer_info()[0], False), version=3)
class CountedCuda(Counted):
    __cuda_array_interface__ = Counted.__array_interface__
    __array_interface__ = property()
`);
const make = python.evaluate(`lambda: ${expression}`);
const turn = () => new Promise(resolve => setImmediate(resolve));
const mebibytes = () => process.memoryUsage.rss() / 2 ** 20;

let wrong = 0;
let early = 0;
for (let index = 0; index < Number(count); index++) {
  const object = make();
  const array = python.asArray(object, via === 'cuda-array-interface' ? { via, device: 'sim:0' } : { via });
  if (array.size !== 1024) wrong++;
  if (index % 1000 === 0 && array.sum().item() !== 1024) wrong++;
  if (how === 'dispose') {
    array.dispose();
    object[Symbol.dispose]();
  }
  if (how !== 'synchronous' && index % 500 === 0) await turn();
  if (index === Math.floor(Number(count) / 5)) early = mebibytes();
}
const late = mebibytes();
await turn();
native().drainReleases(true);
await turn();
python.evaluate('None');
process.stdout.write(JSON.stringify({ early, late, wrong, handles: native().python.countHandles() }));
