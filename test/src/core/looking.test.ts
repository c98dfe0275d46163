/** Inspection changes nothing: showing an array or a stream leaves no trace in any recorder, count or listener. */

import { inspect as nodeInspect } from 'node:util';

import {
  arange,
  type Device,
  devices,
  exchanges,
  memoryLog,
  Stream,
  trace,
  zeros,
  type NDArray
} from '../../../src/index.ts';
import { readBytes } from '../../../src/pictures/array/bytes-page.ts';
import { describeArray } from '../../../src/pictures/array/describe.ts';
import { measureHistogram, measureLater, measureNow } from '../../../src/pictures/array/statistics.ts';
import { describeStream } from '../../../src/pictures/stream/describe.ts';
import { isPending, pendingStreams } from '../../../src/pictures/kit/streams.ts';
import { readValues } from '../../../src/pictures/array/values-page.ts';
import { CapsuleWatch } from '../../../src/interchange/dlpack/watch.ts';
import { DISPLAY_METHOD } from '../../../src/notebook/host.ts';

const device = devices().find(({ simulated }) => simulated) as Device;

/** Every way to inspect an array. Add new ones here. */
const LOOKS: Readonly<Record<string, (array: NDArray) => unknown>> = {
  describeArray: array => describeArray(array),
  'describeArray with a preview': array => describeArray(array, { preview: true }),
  display: array => array[DISPLAY_METHOD](),
  'console.log': array => nodeInspect(array),
  String: array => String(array),
  'console.log of its stream': array => nodeInspect(array.stream),
  'display of its stream': array => array.stream[DISPLAY_METHOD](),
  describeStream: array => describeStream(array.stream),
  'display of its device': array => array.device[DISPLAY_METHOD](),
  isPending: array => isPending(array.stream),
  pendingStreams: array => pendingStreams(array),
  readValues: array => readValues(array, { rows: 4, columns: 4 }),
  readBytes: array => readBytes(array, { rows: 4, columns: 4 }),
  measureNow: array => measureNow(array),
  measureLater: array => measureLater(array),
  measureHistogram: array => measureHistogram(array),
  'a watch of its capsules': array => {
    const watch = new CapsuleWatch(array.storage);
    watch.report();
    watch[Symbol.dispose]();
  }
};

/** The state of recorders and counts for the memory and the streams of an array. */
function marksOf(array: NDArray, others: readonly Stream[]): unknown {
  const streams = [array.stream, ...others].map(stream => ({
    submitted: describeStream(stream).submitted,
    completed: describeStream(stream).completed,
    waits: stream.native.waits,
    after: stream.native.orderedAfter()
  }));
  const uses = array.storage
    .recentUses()
    .map(({ stream, access, sequence }) => [stream.id, access, sequence]);
  return {
    exchanges: exchanges.read().events,
    events: trace.read().events,
    memory: memoryLog.read().events.map(({ kind, number }) => [kind, number]),
    streams,
    uses,
    native: array.storage.uses().map(({ stream, access, sequence }) => [stream.id, access, sequence]),
    descriptor: array.__cuda_array_interface__?.stream
  };
}

beforeEach(() => {
  exchanges.start();
  trace.start();
  memoryLog.start();
});

afterEach(() => {
  exchanges.stop();
  trace.stop();
  memoryLog.stop();
});

describe.each(Object.entries(LOOKS))('%s', (_, look) => {
  test('leaves no trace on an array that one stream used', async () => {
    using stream = new Stream({ device });
    using array = arange(64, { stream }).reshape(8, 8);
    let told = 0;
    const end = array.onUse(() => told++);
    stream.synchronize();
    const before = marksOf(array, []);
    await look(array);
    // Reading the descriptor for the marks is itself an exchange.
    exchanges.clear();
    const after = marksOf(array, []);
    end();
    expect(withoutExchanges(after)).toEqual(withoutExchanges(before));
    expect(told).toBe(0);
  });

  test('records no exchange', async () => {
    using array = arange(64, { device }).reshape(8, 8);
    await look(array);
    array.__dlpack__();
    const records = exchanges.read().events;
    expect(records).toHaveLength(1);
    expect(records[0]?.facts.map(({ kind }) => kind)).not.toContain('ask-device');
  });

  test('leaves no trace on a masked array that several streams used, nor on later work', async () => {
    using one = new Stream({ device });
    using two = new Stream({ device });
    const run = async (looks: boolean): Promise<unknown> => {
      using array = arange(64, { stream: one }).withMask(zeros(64, { dtype: 'bool', stream: one }));
      using view = array.onStream(two);
      const start = [one, two].map(stream => stream.native.sequence);
      view.fill(3);
      if (looks) await look(array);
      array.fill(4);
      view.fill(5);
      if (looks) await look(view);
      array.synchronize();
      const ends = [one, two].map((stream, at) => stream.native.sequence - (start[at] as number));
      return { ends, events: trace.read().events.map(({ kind, name }) => [kind, name]) };
    };
    trace.start();
    const plain = await run(false);
    trace.start();
    expect(await run(true)).toEqual(plain);
  });

  test('leaves the stream that exports name, whose work is not known to be done', async () => {
    using stream = new Stream({ device });
    using array = arange(64, { stream }).reshape(8, 8);
    await look(array);
    await look(array);
    expect(array.__cuda_array_interface__?.stream).toBe(stream.handle);
  });

  test('does not mark an unused array as used', async () => {
    using stream = new Stream({ device });
    using array = zeros(8, { stream });
    const before = array.__cuda_array_interface__?.stream;
    await look(array);
    expect(array.__cuda_array_interface__?.stream).toBe(before);
  });
});

function withoutExchanges(marks: unknown): unknown {
  const { exchanges: _, ...others } = marks as { readonly exchanges: unknown };
  return others;
}
