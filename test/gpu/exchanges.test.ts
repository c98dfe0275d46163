/** Recorded exchanges on a real GPU: both directions between two streams, and an omitted wait. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import {
  asCudaArray,
  exchanges,
  fromCudaArrayInterface,
  Stream,
  zeros,
  type ExchangeDescription,
  type NDArray
} from 'stridelab';

import { device, LARGE, on } from './device.ts';

after(() => exchanges.stop());

const kinds = ({ facts }: ExchangeDescription): string[] => facts.map(({ kind }) => kind);

function recorded(work: () => void): ExchangeDescription {
  exchanges.start();
  work();
  exchanges.stop();
  const records = exchanges.read().events;
  assert.equal(records.length, 1);
  return records[0] as ExchangeDescription;
}

/** An external object over our memory. */
const foreign = (array: NDArray): object => ({
  get __cuda_array_interface__() {
    return array.__cuda_array_interface__;
  }
});

test('rules 73, 75: both directions are recorded', () => {
  using from = new Stream(on);
  using to = new Stream(on);
  using a = zeros(LARGE, { dtype: 'uint8', stream: from });
  const record = recorded(() => {
    using b = asCudaArray(foreign(a), { stream: to });
    b.fill(1);
  });
  assert.equal(record.device, device.label);
  assert.equal(record.hazard, false);
  const [first, last] = [kinds(record).indexOf('use'), kinds(record).lastIndexOf('wait')];
  assert.ok(kinds(record).indexOf('wait') < first && first < last, kinds(record).join());
});

test('rule 76: a skipped wait is reported as a hazard', () => {
  using from = new Stream(on);
  using to = new Stream(on);
  using a = zeros(LARGE, { dtype: 'uint8', stream: from });
  const record = recorded(() => {
    a.fill(1, { stream: from });
    const descriptor = a.__cuda_array_interface__ as object;
    fromCudaArrayInterface(descriptor, { owner: a, stream: to, sync: false }).dispose();
  });
  assert.equal(record.hazard, true);
});

test('rules 151, 154: the stream that a consumer passes is made to wait', { skip: device.simulated }, () => {
  using from = new Stream(on);
  using to = new Stream(on);
  using a = zeros(LARGE, { dtype: 'uint8', stream: from });
  a.fill(1, { stream: from });
  const asked = recorded(() => a.__dlpack__({ stream: to.handle }).dispose());
  assert.ok(kinds(asked).includes('wait'), kinds(asked).join());
  a.fill(2, { stream: from });
  const silent = recorded(() => a.__dlpack__({ stream: -1 }).dispose());
  assert.ok(!kinds(silent).includes('wait'), kinds(silent).join());
});
