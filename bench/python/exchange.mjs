/**
 * The cost of passing arrays between TypeScript and the Python in this process: `node bench/python/exchange.mjs [DEVICE] [--json]`. The
 * default is the simulated device, whose arrays are in host memory. STRIDELAB_PYTHON names the interpreter; exchanges between its
 * libraries are measured for comparison. Medians of 15 batches of 2,000 calls after a warm-up of 20,000. At the end, the duration of
 * 10,000 exchanges of each kind while a Python thread computes.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { devices, fromDlpack, ones, python } from 'stridelab';

const BATCHES = 15;
const CALLS = 2000;
/** V8 compiles hot code only after many calls. */
const WARM_UP = 20_000;
const CONTENDED = 10_000;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
const label = positionals[0] ?? 'sim:0';
const device = devices().find(candidate => candidate.label === label);
if (device === undefined)
  throw new Error(`unknown device ${label}: expected one of ${devices().map(String).join(', ')}`);

/** @type {Record<string, number>} */
const figures = {};
/** @type {string[]} */
const notes = [];

/** The exchanges that were measured. @type {Map<string, () => void>} */
const measured = new Map();

/** @param {string} key @param {() => void} body */
function measure(key, body) {
  measured.set(key, body);
  for (let call = 0; call < WARM_UP; call++) body();
  const taken = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const begun = process.hrtime.bigint();
    for (let call = 0; call < CALLS; call++) body();
    taken.push(Number(process.hrtime.bigint() - begun) / CALLS / 1000);
  }
  figures[key] = taken.sort((a, b) => a - b)[BATCHES >> 1] ?? Number.NaN;
}

/** @param {string} what @param {() => void} body */
function group(what, body) {
  try {
    body();
  } catch (error) {
    notes.push(`${what}: ${String(error).split('\n')[0]}`);
  }
}

/** @param {import('stridelab').PyObject} object */
const drop = object => object[Symbol.dispose]();

const { executable } = python.start();
python.run('def f(x):\n    return x');

group('calls', () => {
  const f = python.evaluate('f');
  measure('call', () => void f(1));
});

/**
 * @param {string} name of the library
 * @param {string} made an expression for one of its arrays
 * @param {import('stridelab').ArrayProtocol[]} ways
 */
function incoming(name, made, ways) {
  group(name, () => {
    python.run(`import ${name === 'numpy' ? 'numpy as np' : name}`);
    const object = python.evaluate(made);
    for (const via of ways) measure(`${name}.in.${via}`, () => python.asArray(object, { via }).dispose());
    if (ways.includes('exchange-table')) measure(`${name}.in`, () => fromDlpack(object).dispose());
  });
}

/**
 * @param {string} name of the library
 * @param {string} taken an expression for its function that imports a DLPack producer
 */
function outgoing(name, taken) {
  group(`${name}, our arrays`, () => {
    const array = ones([3, 4], { device });
    const take = python.evaluate(taken);
    measure(`${name}.out`, () => drop(take(array)));
    measure(`${name}.roundtrip`, () => {
      const object = take(array);
      python.asArray(object).dispose();
      drop(object);
    });
  });
}

const onGpu = !device.simulated;
const where = onGpu ? 'cuda' : 'cpu';
incoming('torch', `torch.ones(3, 4, device="${where}")`, ['exchange-table', 'dlpack']);
if (onGpu) incoming('cupy', 'cupy.ones((3, 4))', ['dlpack', 'cuda-array-interface']);
incoming('numpy', 'np.ones((3, 4))', ['dlpack', 'array-interface', 'buffer']);
outgoing('torch', 'torch.from_dlpack');
if (onGpu) outgoing('cupy', 'cupy.from_dlpack');
else outgoing('numpy', 'np.from_dlpack');

/** The durations of exchanges in milliseconds, each begun while a Python thread holds the GIL. @param {() => void} body */
function beside(body) {
  const times = new Float64Array(CONTENDED);
  for (let call = 0; call < CONTENDED; call++) {
    for (const until = performance.now() + 0.1; performance.now() < until;);
    const begin = performance.now();
    body();
    times[call] = performance.now() - begin;
  }
  times.sort();
  const at = (/** @type {number} */ share) => times[Math.floor(share * (CONTENDED - 1))] ?? Number.NaN;
  return {
    median: at(0.5),
    most99: at(0.99),
    longest: at(1),
    late: times.filter(time => time >= 1).length
  };
}

python.run(`
import threading
stop = False
def spin():
  while not stop: pass
thread = threading.Thread(target=spin); thread.start()`);
/** @type {Record<string, ReturnType<typeof beside>>} */
const contended = {};
for (const key of ['torch.in', 'cupy.in.dlpack', 'numpy.in.array-interface', 'torch.out', 'numpy.out']) {
  const body = measured.get(key);
  if (body !== undefined) contended[key] = beside(body);
}
python.run('stop = True; thread.join()');

const script = fileURLToPath(new URL('exchange.py', import.meta.url));
const peers = spawnSync(executable, [script, String(BATCHES), String(CALLS), where], {
  encoding: 'utf8',
  timeout: 240_000
});
/** @type {{ figures: Record<string, number>, notes: string[] }} */
const theirs =
  peers.status === 0
    ? JSON.parse(peers.stdout)
    : { figures: {}, notes: [`${executable}: ${peers.stderr.trim().split('\n').at(-1)}`] };
notes.push(...theirs.notes);

/** Title, Stridelab's key, the peer's key, and the budget in microseconds. @type {readonly (readonly [string, string, string, number?])[]} */
const ROWS = [
  ['a call of f(1)', 'call', 'call'],
  [
    'PyTorch to us by the exchange table, and drop',
    'torch.in.exchange-table',
    onGpu ? 'cupy.from.torch' : 'numpy.from.torch',
    1
  ],
  ['PyTorch to us by fromDlpack, and drop', 'torch.in', onGpu ? 'cupy.from.torch' : 'numpy.from.torch', 1],
  [
    'PyTorch to us by __dlpack__, and drop',
    'torch.in.dlpack',
    onGpu ? 'cupy.from.torch' : 'numpy.from.torch',
    5
  ],
  ['CuPy to us by __dlpack__, and drop', 'cupy.in.dlpack', 'torch.from.cupy', 3],
  ['CuPy to us by its CUDA descriptor, and drop', 'cupy.in.cuda-array-interface', 'torch.interface', 3],
  ['NumPy to us by __dlpack__, and drop', 'numpy.in.dlpack', 'numpy.numpy', 3],
  ['NumPy to us by its array interface, and drop', 'numpy.in.array-interface', 'numpy.interface', 3],
  ['NumPy to us by its buffer, and drop', 'numpy.in.buffer', 'numpy.buffer', 3],
  ['ours to PyTorch, and drop', 'torch.out', onGpu ? 'torch.from.cupy' : 'torch.from.numpy'],
  ['ours to PyTorch and back', 'torch.roundtrip', onGpu ? 'cupy.roundtrip' : 'torch.roundtrip'],
  ['ours to CuPy, and drop', 'cupy.out', 'cupy.from.torch'],
  ['ours to CuPy and back', 'cupy.roundtrip', 'cupy.roundtrip'],
  ['ours to NumPy, and drop', 'numpy.out', 'numpy.numpy'],
  ['ours to NumPy and back', 'numpy.roundtrip', '']
];

/** @param {number | undefined} value */
const shown = value => (value === undefined ? '' : value.toFixed(2));

if (values.json) {
  console.log(JSON.stringify({ device: label, figures, contended, peers: theirs.figures, notes }));
} else {
  console.log(`Exchange with Python in the process, microseconds, ${device.name}, Node ${process.version}\n`);
  console.log('| what | Stridelab | in Python alone | budget |\n| --- | --- | --- | --- |');
  for (const [title, key, peer, budget] of ROWS) {
    if (figures[key] === undefined) continue;
    console.log(`| ${title} | ${shown(figures[key])} | ${shown(theirs.figures[peer])} | ${budget ?? ''} |`);
  }
  console.log(`\nMilliseconds beside a busy thread, ${CONTENDED} of each\n`);
  console.log('| what | median | 99 % | longest | 1 ms or more |\n| --- | --- | --- | --- | --- |');
  for (const [title, key] of ROWS) {
    const found = contended[key];
    if (found === undefined) continue;
    const { median, most99, longest, late } = found;
    const numbers = [median, most99, longest].map(time => time.toFixed(3)).join(' | ');
    console.log(`| ${title} | ${numbers} | ${late} |`);
  }
  for (const note of notes) console.log(`\nNot measured: ${note}`);
}
process.exit(0);
