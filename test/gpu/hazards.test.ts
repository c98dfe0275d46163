/** Hazard detection on a real GPU, in processes that enable it at start. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { device } from './device.ts';

/** A folder where `stridelab` resolves to this package. */
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The copies take some milliseconds, so that they cannot complete by chance before the reader starts. */
const EXAMPLE = `
  import { empty, fromCudaArrayInterface, hazards, Stream, zeros, devices } from 'stridelab';
  import { currentManager } from 'stridelab/memory';
  const device = devices().find(({ label }) => label === ${JSON.stringify(device.label)});
  const on = { device };
  const BYTES = device.simulated ? 2 ** 20 : 2 ** 27;
  const copier = new Stream(on);
  const reader = new Stream(on);
  const source = zeros(BYTES, { dtype: 'uint8', stream: copier }).fill(7);
  const target = zeros(BYTES, { dtype: 'uint8', stream: copier });
  copier.synchronize();
  function produce() { for (let round = 0; round < 100; round++) target.copyFrom(source, { stream: copier }); }
  function consume(sync) {
    const view = fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: reader, sync });
    return view.slice('-1:').toTypedArray()[0];
  }
  const print = value => console.log(JSON.stringify(value));`;

function printed(body: string, mode: string): unknown {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', EXAMPLE + body],
    { cwd: root, env: { ...process.env, STRIDELAB_HAZARDS: mode }, encoding: 'utf8' }
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('a hazard is found where sync: false removes a wait', () => {
  const body = `
    produce();
    consume(false);
    print(hazards.read().events.map(({ kind, first, second }) => [
      kind, first.operation, second.operation, first.stream.id === copier.id, second.stream.id === reader.id,
      first.stack[0].startsWith('at produce'), second.stack[0].startsWith('at consume')
    ]));`;
  assert.deepEqual(printed(body, '1'), [
    ['read after write', 'cuMemcpyDtoDAsync', 'cuMemcpyDtoHAsync', true, true, true, true]
  ]);
});

test('with the wait nothing is reported', () => {
  const body = `
    produce();
    print([consume(true), hazards.read().events.map(({ text }) => text)]);`;
  assert.deepEqual(printed(body, '1'), [7, []]);
});

test('mode throw throws at the call that completes the pair', () => {
  const body = `
    produce();
    let thrown;
    try { consume(false); } catch (error) { thrown = error; }
    print([thrown?.name, thrown?.code, thrown?.report.kind]);`;
  assert.deepEqual(printed(body, 'throw'), ['HazardError', 'ERR_HAZARD', 'read after write']);
});

test('a race of external code is found through recordUse', () => {
  const body = `
    produce();
    target.recordUse(reader);
    print(hazards.read().events.map(({ kind, second }) => [kind, second.operation]));`;
  assert.deepEqual(printed(body, '1'), [['read after write', 'work told of by recordUse']]);
});

test('unordered launches of a graph are found, ordered ones are not reported', () => {
  const body = `
    const view = fromCudaArrayInterface(target.__cuda_array_interface__, { owner: target, stream: reader, sync: false });
    const graph = reader.capture(() => view.fill(1));
    graph.launch(reader);
    reader.synchronize();
    produce();
    reader.wait(copier);
    graph.launch(reader);
    reader.synchronize();
    const ordered = hazards.read().events.length;
    produce();
    graph.launch(reader);
    print([ordered, hazards.read().events.map(({ kind, second }) => [kind, second.operation])]);`;
  assert.deepEqual(printed(body, '1'), [0, [['write after write', 'cuGraphLaunch']]]);
});

test('nothing is reported for a program that leaves ordering to the library', () => {
  const body = `
    const streams = Array.from({ length: 4 }, () => new Stream(on));
    const kept = [];
    for (let round = 0; round < 100; round++) {
      const a = zeros(2 ** 16, { dtype: 'int32', stream: streams[round % 4] });
      if (kept.length > 0) a.copyFrom(kept[(round * 7) % kept.length], { stream: streams[(round * 3) % 4] });
      kept.push(a);
      if (kept.length > 5) kept.shift().dispose();
    }
    await Promise.all(kept.map(a => a.toTypedArrayAsync({ stream: streams[0] })));
    print(hazards.read().events.map(({ text }) => text));`;
  assert.deepEqual(printed(body, '1'), []);
});

test('a write out of bounds is found in the margin, and uninitialized memory is a NaN', () => {
  const body = `
    const fresh = empty(2, { ...on, dtype: 'float32' }).toTypedArray();
    const a = zeros(1000, { ...on, dtype: 'uint8' });
    const beyond = { shape: [8], typestr: '|u1', data: [a.pointer + 1000n, false], version: 3 };
    fromCudaArrayInterface(beyond, { owner: a, stream: a.stream }).fill(9);
    a.synchronize();
    const found = currentManager(device).checkAll().map(({ kind, bytes, block }) => [kind, bytes, block.bytes]);
    a.dispose();
    device.synchronize();
    print([Number.isNaN(fresh[1]), found, hazards.read().events.length]);`;
  assert.deepEqual(printed(body, '1'), [true, [['write out of bounds', 8, 1000]], 1]);
});
