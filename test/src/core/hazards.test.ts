/** Hazard detection through the public interface: modes, texts, stacks. */

import { printedBy, runModule } from '../../setup/repository.ts';
import { userFrames } from '../../../src/core/call-stack.ts';
import { hazards } from '../../../src/core/hazards.ts';
import { attachNotebookHost } from '../../../src/notebook/host.ts';

const library = JSON.stringify(new URL('../../setup/whole-library.ts', import.meta.url).href);

/** The worked example of docs/hazards.md, with and without the wait. */
const EXAMPLE = `
  const { arange, AsyncPoolMemoryManager, empty, fromCudaArrayInterface, hazards, Stream, zeros } = await import(${library});
  const device = 'sim:0';
  const on = { device };
  const copier = new Stream(on);
  const reader = new Stream(on);
  const source = arange(1024, { dtype: 'float32', stream: copier });
  const target = zeros(1024, { dtype: 'float32', stream: copier });
  copier.synchronize();
  function produce() { target.copyFrom(source, { stream: copier }); }
  function consume(sync) {
    const view = fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: reader, sync });
    return view.toTypedArray();
  }
  const print = value => console.log(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)));`;

const setting = (mode: string, schedule = 'hazard'): NodeJS.ProcessEnv => ({
  STRIDELAB_HAZARDS: mode,
  STRIDELAB_SIM_SCHEDULE: schedule,
  STRIDELAB_CUDA_MEMORY_MANAGER: ''
});

function printed(body: string, mode = '1', schedule?: string): Promise<unknown> {
  return printedBy(EXAMPLE + body, setting(mode, schedule));
}

test('the worked example: without the wait the data are wrong and a report explains why; with it neither', async () => {
  const body = `
    produce();
    const wrong = consume(false)[1023];
    const found = hazards.read().events.map(({ kind, bytes, first, second }) => [kind, bytes, first.operation, second.operation]);
    hazards.clear();
    copier.synchronize();
    target.fill(0, { stream: copier });
    copier.synchronize();
    produce();
    print([wrong, found, consume(true)[1023], hazards.read().events]);`;
  const pair = ['read after write', 4096, 'cuMemcpyDtoDAsync', 'cuMemcpyDtoHAsync'];
  expect(await printed(body)).toEqual([0, [pair], 1023, []]);
  expect(await printed(body, '1', 'eager')).toEqual([1023, [pair], 1023, []]);
});

test('an inspection between two accesses neither hides their hazard nor creates one', async () => {
  const body = `
    const { describeArray } = await import(${library});
    const look = () => describeArray(target, { preview: true });
    look();
    produce();
    look();
    consume(false);
    const found = hazards.read().events.map(({ kind, first, second }) => [kind, first.operation, second.operation]);
    hazards.clear();
    copier.synchronize();
    look();
    produce();
    look();
    consume(true);
    look();
    target.fill(1, { stream: reader });
    print([found, hazards.read().events]);`;
  const pair = ['read after write', 'cuMemcpyDtoDAsync', 'cuMemcpyDtoHAsync'];
  expect(await printed(body, '1', 'eager')).toEqual([[pair], []]);
});

test('a report has streams, operations and the places in the program, without the library’s own frames', async () => {
  const body = `
    produce();
    consume(false);
    const [report] = hazards.read().events;
    print({ ids: [copier.id, reader.id], pointer: target.pointer, report });`;
  const { ids, pointer, report } = (await printed(body)) as {
    ids: [number, number];
    pointer: string;
    report: {
      pointer: string;
      text: string;
      first: { access: string; sequence: number; stream: { id: number }; stack: string[] };
      second: { access: string; stream: { id: number }; stack: string[] };
    };
  };
  expect(report).toMatchObject({ pointer, first: { access: 'write' }, second: { access: 'read' } });
  expect([report.first.stream.id, report.second.stream.id]).toEqual(ids);
  expect(report.first.stack[0]).toMatch(/^at produce \(.*\[eval1\]:\d+:\d+\)$/);
  expect(report.second.stack[0]).toMatch(/^at consume \(.*\[eval1\]:\d+:\d+\)$/);
  expect([...report.first.stack, ...report.second.stack].filter(line => /\/src\/|node:/.test(line))).toEqual(
    []
  );
  expect(report.text).toMatch(
    new RegExp(
      `^read after write, not ordered: 4096 bytes at 0x[0-9a-f]+\\n` +
        `  first: write by cuMemcpyDtoDAsync \\(operation ${report.first.sequence}, stream #${ids[0]}\\)\\n    at produce .*` +
        `  then: read by cuMemcpyDtoHAsync \\(operation 1, stream #${ids[1]}\\)\\n    at consume .*  fix: before the second, have stream #${ids[1]} wait for stream #${ids[0]} `,
      's'
    )
  );
});

test('mode throw: the submission that completes the pair throws a HazardError with the report', async () => {
  const body = `
    produce();
    let thrown;
    try { consume(false); } catch (error) { thrown = error; }
    print([thrown.name, thrown.code, thrown.report.kind, thrown.message === thrown.report.text, hazards.read().events.length]);`;
  expect(await printed(body, 'throw')).toEqual(['HazardError', 'ERR_HAZARD', 'read after write', true, 1]);
});

test('mode throw: work whose call threw is known all the same, to exports too', async () => {
  const body = `
    produce();
    const writer = new Stream(on);
    const alias = fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: writer, sync: false });
    let thrown;
    try { alias.fill(5); } catch (error) { thrown = error.name; }
    const named = alias.__cuda_array_interface__.stream === writer.handle;
    print([thrown, named, alias.storage.recentUses().length, alias.toTypedArray()[0]]);`;
  expect(await printed(body, 'throw')).toEqual(['HazardError', true, 1, 5]);
});

test('array operations left unordered by an import without a wait are reported by name, in a trace too', async () => {
  const body = `
    const { multiply, sum, trace } = await import(${library});
    const view = sync => fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: reader, sync });
    // Before the write: the memory manager with margins waits for the device when it allocates.
    const total = zeros([], { dtype: 'float32', stream: reader });
    trace.start();
    multiply(source, 2, { out: target, stream: copier });
    const wrong = sum(view(false), { out: total, stream: reader }).item();
    const found = hazards.read().events.map(({ kind, bytes, first, second }) => [kind, bytes, first.operation, second.operation, second.stack.length > 0]);
    hazards.clear();
    copier.synchronize();
    const right = sum(view(true), { out: total, stream: reader }).item();
    const kernels = trace.read().events.filter(({ kind, start, end }) => kind === 'kernel' && end > start).map(({ name }) => name);
    print([wrong, found, right, hazards.read().events.length, kernels]);`;
  const pair = ['read after write', 4096, 'elementwise', 'reduce', true];
  const kernels = ['elementwise', 'reduce', 'reduce'];
  expect(await printed(body)).toEqual([0, [pair], 1023 * 1024, 0, kernels]);
});

test('mode throw: array operations whose call threw are known all the same', async () => {
  const body = `
    const { multiply, cumsum } = await import(${library});
    const seen = [];
    const tried = (name, action) => {
      const writer = new Stream(on);
      produce();
      const out = fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: writer, sync: false });
      try { action(out, writer); seen.push(name + ' did not throw'); } catch (error) { seen.push(error.name); }
      seen.push(out.storage.recentUses().map(({ access, stream }) => [access, stream === writer]));
      writer.synchronize();
      copier.synchronize();
    };
    tried('multiply', (out, stream) => multiply(source, 2, { out, stream }));
    tried('cumsum', (out, stream) => cumsum(source, { out, stream }));
    print(seen);`;
  const known = ['HazardError', [['write', true]]];
  expect(await printed(body, 'throw')).toEqual([...known, ...known]);
});

test('mode warn: a process warning with the text, once for the same two places', async () => {
  const body = `
    for (let round = 0; round < 3; round++) { copier.synchronize(); produce(); consume(false); }`;
  const { status, output } = await runModule(EXAMPLE + body, setting('warn'));
  expect(status).toBe(0);
  expect(output.match(/\[STRIDELAB_HAZARD\] HazardWarning: read after write, not ordered/g)).toHaveLength(1);
});

test('mode 1: silent except for listeners, which can be removed', async () => {
  const body = `
    const seen = [];
    const stop = hazards.onReport(report => seen.push(report.kind));
    produce();
    consume(false);
    const early = seen.length;
    stop();
    hazards.clear();
    produce();
    consume(false);
    print([early, seen.length, hazards.read().events.length]);`;
  expect(await printed(body)).toEqual([1, 1, 1]);
});

test('other places in the program are other reports, and cleared ones are reported again', async () => {
  const body = `
    produce(); consume(false);
    copier.synchronize();
    produce(); consume(false);
    const two = hazards.read().events.length;
    hazards.clear();
    const none = hazards.read().events.length;
    for (let round = 0; round < 2; round++) { copier.synchronize(); produce(); consume(false); }
    print([two, none, hazards.read().events.length]);`;
  expect(await printed(body)).toEqual([2, 0, 1]);
});

test('a race of external code is found through recordUse and recordWrite', async () => {
  const body = `
    produce();
    target.recordUse(reader);
    copier.wait(reader);
    target.recordWrite(copier);
    target.recordWrite(reader);
    print(hazards.read().events.map(({ kind, second }) => [kind, second.operation, second.stream.id === reader.id]));`;
  expect(await printed(body)).toEqual([
    ['read after write', 'work told of by recordUse', true],
    ['write after write', 'work told of by recordWrite', true]
  ]);
});

test('asynchronous reads are ordered once they are settled, and found before', async () => {
  const body = `
    produce();
    const view = () => fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: reader, sync: false });
    await view().toTypedArrayAsync();
    const found = hazards.read().events.map(({ kind, second }) => [kind, second.stack.length > 0]);
    hazards.clear();
    copier.synchronize();
    await view().toTypedArrayAsync();
    view().fill(1, { stream: new Stream(on) });
    print([found, hazards.read().events.length]);`;
  expect(await printed(body)).toEqual([[['read after write', true]], 0]);
});

test('nothing is reported for a program that leaves ordering to the library, with pools, views and many streams', async () => {
  const body = `
    const { BestFitPoolMemoryManager, usingMemoryManager } = await import(${library});
    for (const manager of [BestFitPoolMemoryManager, AsyncPoolMemoryManager]) {
      using scope = usingMemoryManager(manager);
      const streams = Array.from({ length: 4 }, () => new Stream(on));
      let kept = [];
      for (let round = 0; round < 200; round++) {
        const stream = streams[round % 4];
        const a = zeros(256, { dtype: 'int32', stream });
        if (kept.length > 0) a.slice(':128').copyFrom(kept[(round * 7) % kept.length].slice('128:'), { stream: streams[(round * 3) % 4] });
        kept.push(a);
        if (kept.length > 5) kept.shift().dispose();
      }
      for (const a of kept) a.toTypedArray({ stream: streams[0] });
      const graph = streams[0].capture(() => kept[0].fill(3, { stream: streams[0] }));
      graph.launch(streams[1]);
      kept[0].toNested();
    }
    print(hazards.read().events.map(({ text }) => text));`;
  expect(await printed(body)).toEqual([]);
});

test('the memory manager with margins is in use: uninitialized memory is a NaN, a write out of bounds a report', async () => {
  const body = `
    const { currentManager, resetMemory } = await import(${library});
    const fresh = empty(2, { ...on, dtype: 'float32' }).toTypedArray();
    function overrun() {
      const a = zeros(100, { ...on, dtype: 'uint8' });
      const beyond = { shape: [4], typestr: '|u1', data: [a.pointer + 100n, false], version: 3 };
      const stream = a.stream;
      fromCudaArrayInterface(beyond, { owner: a, stream }).fill(9);
      a.synchronize();
      return a;
    }
    overrun();
    const found = currentManager(device).checkAll();
    print([Number.isNaN(fresh[0]), found.length, hazards.read().events.map(({ kind, bytes, block }) => [kind, bytes, block.bytes, block.stack[0].includes('overrun')])]);`;
  expect(await printed(body)).toEqual([true, 1, [['write out of bounds', 4, 100, true]]]);
});

test('off: nothing is found, kept or called', async () => {
  const body = `
    hazards.onReport(() => print('called'));
    produce();
    consume(false);
    hazards.clear();
    print([hazards.enabled, hazards.read().events]);`;
  expect(await printed(body, '')).toEqual([false, []]);
  expect(await printed(body, '0')).toEqual([false, []]);
});

test('an unknown mode is an ArgumentError', async () => {
  const { status, output } = await runModule(EXAMPLE, setting('always'));
  expect(status).not.toBe(0);
  expect(output).toMatch("ArgumentError: STRIDELAB_HAZARDS must be 1, warn, throw or 0, not 'always'");
});

test('an unknown schedule is an ArgumentError', async () => {
  const { status, output } = await runModule(EXAMPLE, setting('', 'lazy'));
  expect(status).not.toBe(0);
  expect(output).toMatch("ArgumentError: STRIDELAB_SIM_SCHEDULE must be 'eager' or 'hazard', not 'lazy'");
});

test('in a notebook the frames are places in cells', () => {
  const seen: string[] = [];
  attachNotebookHost({
    display() {},
    inspect() {},
    showStack(stack) {
      seen.push(stack);
      return ['at Cell [3]:1:2'];
    }
  });
  try {
    expect(userFrames('Error\n    at f (/home/me/Cell [3]:9:9)\n    at node:internal/main:1:1')).toEqual([
      'at Cell [3]:1:2'
    ]);
    expect(seen).toEqual(['    at f (/home/me/Cell [3]:9:9)']);
  } finally {
    attachNotebookHost(undefined);
  }
  expect(hazards.enabled).toBe(false);
});
