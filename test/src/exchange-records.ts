/** What tests of recorded exchanges share. */

import { native } from '../../src/native/load.ts';
import { exchanges, Stream } from '../../src/index.ts';
import { ordersDuring } from './conformance/cai-support.ts';
import { only, recordExchanges } from './exchange-records.ts';

const { recording } = native();

/** Has every test of the file recorded, on a recording driver that starts afresh. */
export function recordExchanges(): void {
  beforeEach(() => {
    recording.reset();
    exchanges.start();
  });
  afterEach(() => exchanges.stop());
  afterAll(() => recording.reset());
}

}

/** Runs `action` and expects the facts to have the driver's events and waits, in its order. */
function expectTruth(names: Readonly<Record<string, Stream>>, action: () => void): string[] {
  const handles = Object.fromEntries(Object.entries(names).map(([name, { handle }]) => [name, handle]));
  const orders = ordersDuring(handles, action).filter(order => !order.startsWith('write '));
  expect(ordersOf(only().facts, names)).toEqual(orders);
  return orders;
}

describe('the CUDA Array Interface', () => {
  test('rules 73, 75, 79: the way there and back, as the driver was called', () => {
