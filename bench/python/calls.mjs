/**
 * The cost of calls into the Python of this process: `node bench/python/calls.mjs [PYTHON]`, on an idle machine.
 * The first table has the minimum of many rounds, in nanoseconds; the second the duration of calls while a Python thread computes.
 */
import { execFileSync } from 'node:child_process';
import { native } from '../../dist/src/native/load.js';
import { python } from '../../dist/src/index.js';

const ROUNDS = 300;
const CALLS = 3_000;
const CONTENDED = 10_000;

const { executable, version } = python.start(
  process.argv[2] === undefined ? {} : { python: process.argv[2] }
);
console.log(`Node ${process.version}, Python ${version} (${executable})\n`);

/** @param {() => unknown} body */
function leastOf(body) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now();
    for (let call = 0; call < CALLS; call += 1) body();
    least = Math.min(least, ((performance.now() - begin) / CALLS) * 1e6);
  }
  return least;
}

/** Returns the minimum for a Python statement in a separate interpreter. @param {string} statement */
function leastInPython(statement) {
  const source = `
import timeit
setup = "def f(x): return x\\ndef g(*a, **k): return None\\nclass P: x = 1\\np = P()"
def least(statement): return min(timeit.repeat(statement, setup, number=${CALLS}, repeat=${ROUNDS})) / ${CALLS} * 1e9
print(least(${JSON.stringify(statement)}) - least("pass"))`;
  return Number(execFileSync(executable, ['-c', source], { encoding: 'utf8' }));
}

python.run(
  'def f(x): return x\ndef g(*a, **k): return None\nclass P: x = 1\np = P()\ndef back(h): return h(1)'
);
const [f, g, p, back] = ['f', 'g', 'p', 'back'].map(name => python.evaluate(name));
/** @type {import('../../dist/src/native/python-binding.js').NativePython} */
const raw = Object.create(native().python);
const handle = /** @type {any} */ (raw.getItem(raw.module('__main__'), 'f'));
/** @param {unknown} x */
const same = x => x;
const keywords = python.kw({ a: 1 });

/** @type {[name: string, body: () => unknown, inPython?: string][]} */
const cases = [
  ['an empty native call', () => raw.countHandles()],
  ['one that takes the GIL', () => raw.isCallable(handle)],
  ['f(1) by its handle', () => raw.call(handle, 1), 'f(1)'],
  ['f(1)', () => f(1), 'f(1)'],
  ['f("text")', () => f('text'), 'f("text")'],
  ['g(1, 2, 3)', () => g(1, 2, 3), 'g(1, 2, 3)'],
  ['g(a=1)', () => g(keywords), 'g(a=1)'],
  ['p.x', () => p.x, 'p.x'],
  ['back(function of JavaScript)', () => back(same)]
];
console.log('call                              here   in Python');
for (const [name, body, inPython] of cases) {
  leastOf(body);
  const own = inPython === undefined ? '' : leastInPython(inPython).toFixed(0).padStart(12);
  console.log(`${name.padEnd(30)}${leastOf(body).toFixed(0).padStart(8)}${own}`);
}

python.run(`
import threading
stop = False
def spin():
  while not stop: pass
thread = threading.Thread(target=spin); thread.start()`);
const times = new Float64Array(CONTENDED);
for (let call = 0; call < CONTENDED; call += 1) {
  // Waits until the thread holds the GIL, before the call.
  for (const until = performance.now() + 0.1; performance.now() < until;);
  const begin = performance.now();
  f(1);
  times[call] = performance.now() - begin;
}
python.run('stop = True; thread.join()');
times.sort();
const at = (/** @type {number} */ share) =>
  `${(times[Math.floor(share * (CONTENDED - 1))] ?? NaN).toFixed(3)} ms`;
const late = times.filter(time => time >= 1).length;
console.log(
  `\n${CONTENDED} calls f(1) while a thread of Python computes: median ${at(0.5)}, 99 % ${at(0.99)}, 99.9 % ${at(0.999)}, longest ${at(1)}`
);
console.log(`${late} of them took a millisecond or more`);
