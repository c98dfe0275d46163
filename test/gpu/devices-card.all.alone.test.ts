/** The cards of devices: one for each GPU, and one for two side by side if there are two. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DISPLAY_METHOD, full, zeros, type Device } from 'stridelab';
import { AsyncPoolMemoryManager, usingMemoryManager } from 'stridelab/memory';
import { describeDevice } from '../../dist/src/pictures/device/describe.js';
import type { DevicePicture } from '../../dist/src/pictures/device/schema.js';
import { all, first, second, tooFew } from './peers.ts';

const MIB = 2 ** 20;

function memoryOf(device: Device): NonNullable<DevicePicture['memory']> {
  const { memory, problem } = describeDevice(device);
  if (memory === null) throw new Error(problem ?? 'no memory');
  return memory;
}

for (const device of all)
  test(`${device.label} shows its name and its facts`, t => {
    const picture = describeDevice(device);
    assert.equal(picture.problem, null);
    const { slice, facts } = picture;
    assert.equal(slice !== null, device.name.includes(' MIG '));
    const fact = (name: string): string | undefined => facts.find(each => each.name === name)?.value;
    if (!device.simulated) {
      assert.match(fact('Multiprocessors') ?? '', /^\d+$/);
      assert.equal(fact('PCI bus'), device.native.pciBusId);
      assert.match(fact('Memory pools') ?? '', /^(yes|no)$/);
    }
    const shown = device[DISPLAY_METHOD]();
    assert.ok(String(shown['text/html']).length < 10_000);
    t.diagnostic(String(shown['text/plain']));
  });

test('a card counts the bytes in its pools and arrays', { skip: first.simulated }, () => {
  const before = memoryOf(first);
  {
    using _scope = usingMemoryManager(AsyncPoolMemoryManager);
    using array = full(64 * MIB, 1, { dtype: 'uint8', device: first });
    array.synchronize();
    const during = memoryOf(first);
    assert.ok(during.ours - before.ours >= array.nbytes);
    assert.ok(during.total - during.free >= during.ours - before.ours);
    assert.deepEqual(describeDevice(first).manager, ['AsyncPoolMemoryManager']);
  }
});

test('memory that is nearly exhausted is shown as such', { skip: first.simulated }, () => {
  const { free } = memoryOf(first);
  const others = all.filter(device => device !== first).map(device => memoryOf(device).ours);
  {
    using array = zeros(free - 768 * MIB, { dtype: 'uint8', device: first });
    array.synchronize();
    const left = memoryOf(first);
    assert.ok(left.free < 1024 * MIB, `${left.free} bytes free`);
    assert.ok(left.ours >= array.nbytes);
  }
  assert.deepEqual(
    all.filter(device => device !== first).map(device => memoryOf(device).ours),
    others
  );
});

test('two cards are told apart, and show how the devices reach each other', { skip: tooFew }, t => {
  const [one, two] = [describeDevice(first), describeDevice(second)];
  assert.notEqual(one.uuid, two.uuid);
  assert.notEqual(first.native.pciBusId, first.simulated ? '' : second.native.pciBusId);
  assert.deepEqual([one.isDefault, two.isDefault].filter(Boolean).length <= 1, true);
  for (const [from, to, picture] of [
    [first, second, one],
    [second, first, two]
  ] as const) {
    const peer = picture.peers.find(({ label }) => label === to.label);
    assert.equal(peer?.reach, from.canAccessPeer(to) ? 'direct' : 'copies');
    assert.equal(peer?.reached, to.canAccessPeer(from) ? 'direct' : 'copies');
    for (const { label, reach } of picture.peers)
      if (label.split(':')[0] !== from.label.split(':')[0]) assert.equal(reach, 'never');
    t.diagnostic(`${from.label} reaches ${to.label}: ${peer?.reach}, is reached: ${peer?.reached}`);
  }
  const before = [memoryOf(first).ours, memoryOf(second).ours];
  using array = full(256 * MIB, 3, { dtype: 'uint8', device: second });
  array.synchronize();
  const after = [memoryOf(first).ours, memoryOf(second).ours];
  assert.equal(after[0], before[0]);
  assert.ok((after[1] as number) - (before[1] as number) >= array.nbytes);
});
