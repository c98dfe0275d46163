/**
 * Times calls into a Python in another process: `node bench/python/process.mjs [python]`. Medians of 15 batches; the budget of a call is
 * the time of a bridge over pipes and JSON, 53 microseconds, with a margin for a loaded machine.
 */
import { cpus } from 'node:os';
import { full, python } from 'stridelab';
import { emptyShared } from 'stridelab/sharing';

const executable = process.argv[2];
using beside = python.open(executable === undefined ? {} : { python: executable });
const { installation, process: number } = beside.status;

beside.run(
  'def same(x): return x\ndef call(f, n):\n  for i in range(n): f(i)\nclass Point: x = 1\npoint = Point()'
);
const same = beside.evaluate('same');
const callBack = beside.evaluate('call');
const point = beside.evaluate('point');
const numbers = beside.evaluate('list(range(1000))');
const text = 'x'.repeat(1024);
const longText = 'x'.repeat(1 << 20);
const array = full([1024], 1);
const shared = emptyShared([1024]);
const bytes = beside.evaluate('memoryview(bytearray(4096))');

/** @type {readonly (readonly [string, number, () => unknown, number | null])[]} name, calls, call, budget in microseconds */
const calls = [
  ['call with a number', 1000, () => same(1), 60],
  ['attribute', 1000, () => point.x, 60],
  ['callback from Python', 1, () => callBack(x => x, 1000), null],
  ['call with 1 KiB of text', 500, () => same(text), null],
  ['call with 1 MiB of text', 10, () => same(longText), null],
  ['list of 1,000 numbers there', 50, () => beside.list(Array.from({ length: 1000 }, (_, i) => i)), null],
  ['list of 1,000 numbers here', 50, () => beside.toJS(numbers), null],
  ['simulated array of 4 KiB there', 50, () => same(array), null],
  ['shared host array of 4 KiB there', 50, () => same(shared), null],
  ['array of 4 KiB here, copied', 50, () => beside.asArray(bytes).dispose(), null]
];

/** Returns the median microseconds per call. @param {() => unknown} call */
function measure(batch, call) {
  for (let i = 0; i < batch; i++) call();
  const times = Array.from({ length: 15 }, () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < batch; i++) call();
    return Number(process.hrtime.bigint() - start) / 1000 / batch;
  });
  return times.sort((x, y) => x - y)[7];
}

console.log(
  `Python ${installation.version}, process ${number}; ${cpus()[0]?.model}; Node ${process.version}`
);
console.log('call'.padEnd(36), 'us'.padStart(10), 'budget'.padStart(10));
for (const [name, batch, call, budget] of calls) {
  // One call calls the callback a thousand times.
  const median = measure(batch, call) / (batch === 1 ? 1000 : 1);
  const verdict = budget === null ? '-' : `${budget} ${median <= budget ? 'met' : 'missed'}`;
  console.log(name.padEnd(36), median.toFixed(2).padStart(10), verdict.padStart(10));
}
