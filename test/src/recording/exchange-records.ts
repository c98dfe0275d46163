/** Shared by tests of recorded exchanges. */

import type { ExchangeDescription } from '../../../src/recording/exchanges/facts.ts';
import { native } from '../../../src/native/load.ts';
import { exchanges, type NDArray } from '../../../src/index.ts';
import { descriptorOf } from '../conformance/cai-support.ts';

const { recording } = native();

/** Records every test of the file, on a recording driver with a cleared log. */
export function recordExchanges(): void {
  beforeEach(() => {
    recording.reset();
    exchanges.start();
  });
  afterEach(() => exchanges.stop());
  afterAll(() => recording.reset());
}

/** A wrapper of another library: it makes a new object from every descriptor. */
export const wrapped = (array: NDArray): object => ({
  get __cuda_array_interface__() {
    return { ...descriptorOf(array) };
  }
});

export function only(): ExchangeDescription {
  const records = exchanges.read().events;
  expect(records).toHaveLength(1);
  return records[0] as ExchangeDescription;
}
