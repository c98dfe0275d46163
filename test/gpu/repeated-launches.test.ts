/** Launches that are repeated on other layouts, devices and streams give the results of the simulated device, and of first launches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  add,
  arange,
  cuda,
  devices,
  empty,
  Event,
  multiply,
  Stream,
  type Device,
  type NDArray
} from 'stridelab';

import { device } from './device.ts';
import { second, tooFew } from './peers.ts';

const simulated = devices().find(candidate => candidate.simulated)!;
const dtype = 'float32';

/** Views of 128 floats, which differ in shape, strides, alignment and place. */
const LAYOUTS: readonly ((x: NDArray) => NDArray)[] = [
  x => x,
  x => x.slice('1:97'),
  x => x.slice('2:98'),
  x => x.slice('::2'),
  x => x.slice('::-1'),
  x => x.slice('::-3'),
  x => x.reshape(8, 16),
  x => x.reshape(8, 16).T,
  x => x.reshape(8, 16).slice('::-1', '1::2'),
  x => x.reshape(2, 4, 16).transpose(1, 0, 2),
  x => x.slice('5:6'),
  x => x.slice('3:3'),
  x => x.slice(':8').reshape(8, 1).broadcastTo([8, 16])
];

/** What a sequence of operations on views in all layouts leaves: every element of its arrays. */
function results(on: Device): unknown[] {
  const stream = new Stream({ device: on });
  const source = arange(128, { dtype, stream });
  const found: unknown[] = [];
  const order = [...LAYOUTS.keys(), ...[...LAYOUTS.keys()].reverse(), 0, 4, 0, 4, 1, 2, 1, 2];
  for (const [turn, which] of order.entries()) {
    const view = LAYOUTS[which]!(source);
    const made = add(view, view, { stream });
    multiply(made, (turn % 3) + 0.5, { out: made, stream });
    const target = LAYOUTS[which]!(arange(128, { dtype, stream }));
    if (!target.readOnly) add(target, 1, { out: target, stream });
    found.push(made.toNested(), target.toNested());
  }
  return found;
}

test('on one device after another', () => {
  const expected = results(simulated);
  assert.deepEqual(results(device), expected);
  assert.deepEqual(results(device), expected);
});

test('on two devices in turn', { skip: tooFew }, () => {
  const expected = results(simulated);
  for (const on of [device, second, device, second]) assert.deepEqual(results(on), expected);
});

test('of a compiled kernel, with views at other addresses, in a graph and across streams', () => {
  const kernel = cuda
    .compile(
      `extern "C" __global__ void shift(const float* x, float* out, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + by;
}`,
      { device }
    )
    .function('shift');
  const [one, other] = [new Stream({ device }), new Stream({ device })];
  const x = arange(256, { dtype, stream: one });
  const out = empty(256, { dtype, stream: one });
  for (let turn = 0; turn < 200; turn++) {
    const stream = turn % 2 === 0 ? one : other;
    const [from, to] = turn % 4 < 2 ? [x, out] : [out, x];
    kernel.launch({ grid: 1, block: 256, stream }, from, to, 256, 1);
  }
  // Every four launches add 2: from x to out twice, and back twice.
  assert.deepEqual([x.item(3), out.item(3)], [3 + 100, 3 + 99]);
  const part = out.slice('64:');
  kernel.launch({ grid: 1, block: 64, stream: one }, x.slice('128:'), part, 64, 0);
  assert.equal(part.item(1), x.item(129));
  using graph = one.capture(() => kernel.launch({ grid: 1, block: 256, stream: one }, x, x, 256, 10));
  const before = x.item(0) as number;
  for (let turn = 0; turn < 3; turn++) graph.launch(one);
  assert.equal(x.item(0), before + 30);
});

test('of events: thousands of records and waits order two streams', () => {
  const [one, other] = [new Stream({ device }), new Stream({ device })];
  const x = arange(1024, { dtype, stream: one });
  one.synchronize();
  using event = new Event({ device, timing: false });
  for (let turn = 0; turn < 2000; turn++) {
    const [first, then] = turn % 2 === 0 ? [one, other] : [other, one];
    add(x, 1, { out: x, stream: first });
    first.record(event);
    then.wait(event);
  }
  assert.equal(x.item(7), 2007);
});
