/** Graph capture on a real GPU: work is captured; exchanges inside it neither wait for nor record events outside. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { empty, Stream, zeros, type Graph } from 'stridelab';

import { device, LARGE, on, samples } from './device.ts';

test('rule 84: captured fills and copies run at each launch, across streams', () => {
  using stream = new Stream(on);
  using side = new Stream(on);
  using source = zeros(LARGE, { dtype: 'uint8', stream });
  using target = zeros(LARGE, { dtype: 'uint8', stream });
  using apart = zeros(LARGE, { dtype: 'uint8', stream: side });
  side.synchronize();
  stream.synchronize();
  using graph: Graph = stream.capture(() => {
    side.wait(stream);
    source.fill(7);
    apart.fill(8, { stream: side });
    target.copyFrom(source);
    stream.wait(side);
    assert.equal(stream.capturing, true);
    assert.equal(source.__cuda_array_interface__.stream, stream.handle);
  });
  assert.equal(stream.capturing, false);
  assert.deepEqual(samples(target), [0, 0, 0]);
  graph.launch(stream);
  assert.deepEqual([samples(target), samples(apart)], [Array(3).fill(7), Array(3).fill(8)]);
  target.fill(1);
  for (let i = 0; i < 10; i++) graph.launch(stream);
  assert.deepEqual(samples(target), [7, 7, 7]);
});

test('rules 84, 102: a launch is ordered with work of other streams, and keeps its memory alive', () => {
  using stream = new Stream(on);
  using other = new Stream(on);
  using kept = empty(LARGE, { dtype: 'uint8', stream });
  const temporary = empty(LARGE, { dtype: 'uint8', stream }).fill(1);
  stream.synchronize();
  using graph = stream.capture(() => kept.copyFrom(temporary));
  for (let round = 2; round < 12; round++) {
    temporary.fill(round, { stream: other });
    graph.launch(stream);
    assert.deepEqual(samples(kept), [round, round, round]);
  }
  temporary.dispose();
  kept.fill(0);
  graph.launch(stream);
  assert.deepEqual(samples(kept), [11, 11, 11]);
});

test('rule 84: an export to another stream during capture names the capturing one and leaves the capture valid', () => {
  using stream = new Stream(on);
  using array = zeros(LARGE, { dtype: 'uint8', stream });
  stream.synchronize();
  using graph = stream.capture(() => {
    array.fill(4);
    // Simulated device memory is host memory, which has no stream -1 (rule 153).
    array.__dlpack__({ stream: device.simulated ? stream : -1n, maxVersion: [1, 1] });
    array.fill(5);
  });
  graph.launch(stream);
  assert.deepEqual(samples(array), [5, 5, 5]);
});
