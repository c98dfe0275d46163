/** Loops over native calls of every kind, and the kinds of code that can contain such a loop. */

/**
 * @typedef {object} Loop
 * @property {string} name
 * @property {string} body one iteration of the loop
 * @property {'device' | 'cuda' | 'simulated' | 'python'} needs requirement of the loop
 * @property {boolean} awaits whether the body awaits
 */

/** Run once in each kernel. `kept` must exist after every interrupt. */
export const setUp = `
import { add, arange, array, asCudaArray, caiCrossing, cuda, defaultDevice, devices, display, describeArray, DLPackCapsule, empty, exchanges, exportCudaArrayInterface, fromCudaArrayInterface, fromDlpack, full, hazards, inspect, matmul, memoryLog, NDArray, python, RandomGenerator, sin, Stream, Event, sum, take, concatenate, trace, where, zeros } from 'stridelab';
import { BestFitPoolMemoryManager, currentManager, FailureCallbackAdaptor, HostOnlyCUDAMemoryManager, ipcHandleOf, LoggingAdaptor, memalloc, memhostalloc, MemoryPointer, usingMemoryManager } from 'stridelab/memory';
import { getIpcHandle, share } from 'stridelab/sharing';
import { Communicator } from 'stridelab/collectives';
var kept: any = 42;
var simulated = defaultDevice().simulated;
var a = zeros(1000);
var b = arange(1000, { dtype: 'float32' });
var m = zeros([64, 64], { dtype: 'float32' });
var big = zeros([1200, 1200], { dtype: 'float32' });
var wide = zeros([100, 100]);
var s = new Stream(), t = new Stream();
var c = zeros(1000, { stream: t });
var event = new Event();
var graphed = zeros(1000, { stream: s });
graphed.fill(1);
var graph = s.capture(() => { graphed.fill(2); });
var device = defaultDevice();
var indices = array([1, 2, 3], { dtype: 'int32' });
var fused = cuda.map((x: number) => x * 2 + 1);
var random = new RandomGenerator(7);
var block = memalloc(1 << 20, { device });
class OwnManager extends HostOnlyCUDAMemoryManager {
  static interfaceVersion = 1;
  live = 0;
  memalloc(size: number) {
    this.live += 1;
    return new MemoryPointer(this.context, block.pointer, size, null, () => { this.live -= 1; });
  }
  getMemoryInfo() { return { free: 1 << 30, total: 1 << 30 }; }
  getIpcHandle(memory: any) { return ipcHandleOf(memory); }
}
var comms = Communicator.initAll([device]);
async function probe() {
  for (const ms of [0, 1, 2, 5]) await new Promise(done => setTimeout(done, ms));
  await new Promise(done => setImmediate(done));
  await require('node:fs/promises').stat('.');
}
0;
`;

/** Set-up for loops with kernels. */
export const setUpCuda = `
var scale = cuda.compile(\`
  extern "C" __global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
  }
\`).function('scale');
0;
`;

/** Set-up for loops with Python. */
export const setUpPython = `
python.run(\`
import threading
def forever(f):
    while True:
        f()
def called(f, n):
    for _ in range(n):
        f(1)
def same(x):
    return x
def fail():
    raise ValueError('expected')
class Holder:
    def __init__(self, array):
        self.__cuda_array_interface__ = array
data = bytearray(800)
text = 'x' * 1000
\`);
var same = python.evaluate('same'), forever = python.evaluate('forever'), called = python.evaluate('called'), failing = python.evaluate('fail');
var data = python.evaluate('data'), list = python.evaluate('list(range(50))'), text = python.evaluate('text');
0;
`;

/** @param {string} name @param {string} body @param {Loop['needs']} [needs] @returns {Loop} */
const loop = (name, body, needs = 'device') => ({ name, body, needs, awaits: body.includes('await ') });

/** @type {readonly Loop[]} */
export const loops = [
  loop('item', 'a.item(0);'),
  loop('toNested', 'a.toNested();'),
  loop('toTypedArray', 'b.toTypedArray();'),
  loop('toTypedArrayAsync', 'await b.toTypedArrayAsync();'),
  loop('Stream.synchronize', 's.synchronize();'),
  loop('synchronizeAsync of work', 'c.fill(1); await t.synchronizeAsync();'),
  loop('NDArray.synchronize', 'a.synchronize();'),
  loop('fill and synchronize', 'a.fill(1); a.synchronize();'),
  loop('record and wait', 's.record(event); t.wait(event); event.query();'),
  loop('event and synchronize', 'const e = new Event(); s.record(e); e.synchronize(); e.dispose();'),
  loop('wait for a stream', 't.wait(s); s.wait(t);'),
  loop('stream queries', 's.query(); t.handle; s.id; s.device;'),
  loop('large matmul', 'matmul(big, big);'),
  loop('small matmul', 'matmul(m, m);'),
  loop('large matmul, read', 'matmul(big, big).item(0, 0);'),
  loop('elementwise', 'add(b, 1);'),
  loop('elementwise in place', 'b.fill(1); add(b, b, { out: b });'),
  loop('fused', 'fused(b);'),
  loop('conversion', "b.astype('float64');"),
  loop('reduction', 'sum(b);'),
  loop('reduction, read', 'sum(b).item();'),
  loop('take', 'take(b, indices);'),
  loop('concatenate', 'concatenate([b, b]);'),
  loop('random', 'random.uniform(1000);'),
  loop('creation', 'zeros(1000);'),
  loop('creation of much', 'empty(4_000_000);'),
  loop('creation from values', 'array([1, 2, 3]);'),
  loop('creation and disposal', 'using x = empty(1000); x.fill(1);'),
  loop('views', "wide.slice(null, '::-2').T.broadcastTo([3, 50, 100]).item(0, 0, 0);"),
  loop('copies', 'a.copyFrom(c); c.copyFrom(a);'),
  loop('copy of a view', "wide.slice('::2').copy();"),
  loop('CUDA Array Interface out', 'a.__cuda_array_interface__; exportCudaArrayInterface(c);'),
  loop(
    'CUDA Array Interface in',
    'fromCudaArrayInterface(c.__cuda_array_interface__, { owner: c, stream: s });'
  ),
  loop('asCudaArray', 'asCudaArray(a).item(0);'),
  loop('DLPack out', 'a.__dlpack__();'),
  loop('DLPack both ways', 'fromDlpack(c, { stream: s });'),
  loop('DLPack both ways, disposed', 'using x = fromDlpack(c, { stream: s }); x.fill(1);'),
  loop(
    'manager in JavaScript',
    'using scope = usingMemoryManager(OwnManager); using x = zeros(100); x.fill(2);'
  ),
  loop('manager in JavaScript, dropped', 'using scope = usingMemoryManager(OwnManager); zeros(100_000);'),
  loop('pool', 'using scope = usingMemoryManager(BestFitPoolMemoryManager); zeros(10_000);'),
  loop(
    'memory without arrays',
    'const p = memalloc(4096); p.free(); const q = memhostalloc(4096); q.free();'
  ),
  loop('streams', 'const x = new Stream(); x.dispose();'),
  loop('streams, dropped', 'new Stream();'),
  loop('capture', 's.capture(() => { graphed.fill(3); });'),
  loop('graph', 'graph.launch(s);'),
  loop('graph, waited for', 'graph.launch(s); s.synchronize();'),
  loop('kernel launch', 'scale.launch({ grid: 4, block: 256 }, b, 1000);', 'cuda'),
  loop(
    'kernel launch, waited for',
    'scale.launch({ grid: 4, block: 256 }, b, 1000); b.synchronize();',
    'cuda'
  ),
  loop('compile', "await cuda.compileAsync('extern \"C\" __global__ void k' + kept++ + '() {}');", 'cuda'),
  loop('describe', 'describeArray(wide);'),
  loop('display', 'display(m); if (kept++ % 20 === 0) await new Promise(r => setImmediate(r));'),
  loop('text of an array', 'a.toString(); String(wide); console.log(a);'),
  loop('share', '{ const lease = await share(a); lease.token.toString(); lease[Symbol.dispose](); }'),
  loop(
    'share without waiting',
    'void share(a).then(lease => lease[Symbol.dispose]()); a.item(0); if (kept++ % 20 === 0) await new Promise(r => setImmediate(r));'
  ),
  loop('collective', 'Communicator.group(() => comms.map(comm => comm.allReduce(b)));'),
  loop(
    'trace',
    '{ using x = trace.start({ capacity: 1000 }); a.fill(1); a.synchronize(); trace.read().events; }'
  ),
  loop('exchanges', '{ using x = exchanges.start(); fromDlpack(c, { stream: s }); exchanges.list?.(); }'),
  loop('memory log', '{ using x = memoryLog.start({ capacity: 1000 }); zeros(10); memoryLog.records?.(); }'),
  loop('devices', 'devices().map(d => [d.name, d.memoryInfo?.()]);'),
  loop(
    'errors',
    'try { a.item(5000); } catch {} try { zeros(-1); } catch {} try { s.native.waitForStream({} as any); } catch {}'
  ),
  loop('interrupt caught', 'try { a.item(0); } catch {} finally { s.synchronize(); }'),
  loop('hazard reports', 'hazards.read().events; a.fill(1, { stream: s }); c.copyFrom(a); hazards.clear();'),
  loop('call', 'same(1);', 'python'),
  loop('values both ways', "same('text'); same(2n ** 80n); same([1, 2, 3]); python.toJS(list);", 'python'),
  loop('attributes and items', 'python.item(list, 3); text.upper; list.append;', 'python'),
  loop('iteration', 'for (const x of list) void x;', 'python'),
  loop(
    'exception',
    'try { failing(); } catch (error) { if (error.type === undefined) throw error; }',
    'python'
  ),
  loop('callback', 'called((x: any) => x, 10);', 'python'),
  loop('callback into native calls', 'called(() => a.item(0), 10);', 'python'),
  loop('callback that never ends', 'forever(() => { a.item(0); });', 'python'),
  loop('callAsync', 'await python.callAsync(same, 1);', 'python'),
  loop('callAsync with a callback', 'await python.callAsync(called, () => a.item(0), 3);', 'python'),
  loop('asArray', 'python.asArray(data).item(0);', 'python'),
  loop('array there and back', 'same(a).item(0);', 'python'),
  loop('array there, dropped', 'python.array(a); python.array(a).shape;', 'python'),
  loop('python.run', "python.run('x = 1'); python.evaluate('x + 1');", 'python')
];

const never = 'await new Promise(() => {});';

/**
 * The code of a cell that prints `begun` and then loops forever.
 * @type {Readonly<Record<string, (body: string) => string>>}
 */
export const places = {
  cell: body => `console.log('begun'); while (true) { ${body} }`,
  function: body =>
    `${mark(body)}function go() { console.log('begun'); while (true) { ${body} } }\n${wait(body)}go();`,
  timer: body =>
    `setTimeout(${mark(body)}() => { console.log('begun'); while (true) { ${body} } }, 1); ${never}`,
  immediate: body =>
    `setImmediate(${mark(body)}() => { console.log('begun'); while (true) { ${body} } }); ${never}`,
  promise: body =>
    `await Promise.resolve().then(${mark(body)}() => { console.log('begun'); while (true) { ${body} } });`,
  'many short timers': body =>
    `const next${unique} = ${mark(body)}() => { ${body} setTimeout(next${unique++}, 0); }; console.log('begun'); next${unique - 1}(); ${never}`,
  'catch and finally': body =>
    `console.log('begun'); while (true) try { ${body} } catch {} finally { ${body} }`,
  using: body =>
    `console.log('begun'); while (true) { using x1 = empty(10), s1 = new Stream(), x2 = zeros(10, { stream: s1 }); ${body} }`
};

/** Code in which the body cannot await. @type {Readonly<Record<string, (body: string) => string>>} */
export const synchronousPlaces = {
  interval: body => `setInterval(() => { console.log('begun'); while (true) { ${body} } }, 1); ${never}`,
  // If the body returned to the event loop, each interval would begin another loop.
  'asynchronous interval': body =>
    `setInterval(async () => { console.log('begun'); while (true) { await 0; ${body} } }, 1); ${never}`,
  capture: body =>
    `const x${unique} = new Stream(); console.log('begun'); while (true) x${unique++}.capture(() => { ${body} });`,
  generator: body =>
    `function* g() { try { while (true) { ${body} yield 1; } } finally { a.item(0); } } console.log('begun'); for (const x of g());`,
  getter: body =>
    `const o${unique} = { get endless() { while (true) { ${body} } } }; console.log('begun'); o${unique++}.endless;`,
  display: body =>
    `console.log('begun'); ({ [Symbol.for('Jupyter.display')]() { while (true) { ${body} } } })`,
  'sort callback': body =>
    `console.log('begun'); while (true) [3, 1, 2].sort((left, right) => { ${body} return left - right; });`
};

/** @type {Readonly<Record<string, (body: string) => string>>} */
export const pythonPlaces = {
  'Python callback': body => `console.log('begun'); forever(() => { ${body} });`,
  'loop in a Python callback': body => `console.log('begun'); called(() => { while (true) { ${body} } }, 1);`,
  'callback on another thread': body =>
    `console.log('begun'); await python.callAsync(forever, () => { ${body} });`
};

/** A suffix that makes names unique among cells. */
let unique = 0;
/** @param {string} body */
const mark = body => (body.includes('await ') ? 'async ' : '');
/** @param {string} body */
const wait = body => (body.includes('await ') ? 'await ' : '');
