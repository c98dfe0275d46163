/** Small programs with and without hazards, for a process that has detection on; prints the reports of each as JSON. */

import { createRequire } from 'node:module';

import { ELEMENT_TYPES } from '../../src/compute/program/element-types.ts';
import type {
  DriverKind,
  NativeBinding,
  NativeDevice,
  NativeEvent,
  NativeStorage,
  NativeStream
} from '../../src/native/binding.ts';
import { computeOf } from './compute/calls.ts';
import type { NativeHazardReport } from '../../src/native/observation-binding.ts';

const native = createRequire(import.meta.url)('#native') as NativeBinding;
const compute = computeOf(native);
const [device, peer] = native.devices(process.argv[2] as DriverKind) as [NativeDevice, NativeDevice];

const wait = (on: NativeStream, event: NativeEvent): void => native.keyed.wait(on.key, event.key);

const UINT8 = ELEMENT_TYPES.indexOf('uint8');

const stream = (blocking = false): NativeStream => native.createStream(device, { blocking, priority: 0 });
const block = (bytes = 64): NativeStorage => native.allocate(device, bytes, 'device');
/** A storage over the same bytes that does not share the uses of the first. */
const alias = (of: NativeStorage, offset = 0, bytes = of.bytes - offset): NativeStorage =>
  native.adopt(device, of.pointer + BigInt(offset), bytes, 'device', null);
const fill = (on: NativeStorage, by: NativeStream, offset = 0, bytes = on.bytes - offset): void =>
  on.fill(offset, 1, 7, bytes, by);
const read = (of: NativeStorage, by: NativeStream): void => of.readToHost(0, new Uint8Array(of.bytes), by);

/** Array operations on the bytes of a block, and between the halves of one. */
const draw = (on: NativeStorage, by: NativeStream): number =>
  compute.random(by, 'bits', UINT8, 0n, 0n, null, Float64Array.of(on.bytes, 0), [on]);
const accumulate = (target: NativeStorage, source: NativeStorage, by: NativeStream): number =>
  compute.cumulate(by, 'sum', UINT8, UINT8, Float64Array.of(1, target.bytes, 0, 0, 1, 0, 1), [
    target,
    source
  ]);

function mark(on: NativeStream): NativeEvent {
  const event = native.createEvent(device, false);
  native.keyed.record(on.key, event.key);
  return event;
}

/** A write on one stream, then `between`, then a read on another through other storages. */
function readAfterWrite(between: (writer: NativeStream, reader: NativeStream) => void): void {
  const a = block();
  const [writer, reader] = [stream(), stream()];
  fill(a, writer);
  between(writer, reader);
  read(alias(a), reader);
}

const scenarios: Record<string, () => void | Promise<void>> = {
  'an array operation that does not wait for another': () => {
    const [a, b] = [block(), block()];
    draw(a, stream());
    accumulate(b, alias(a), stream());
  },
  'array operations that the library orders': () => {
    const [a, b] = [block(), block()];
    draw(a, stream());
    accumulate(b, a, stream());
    draw(a, stream());
  },
  'a staged copy that does not wait': () => {
    const a = block(2 ** 23);
    fill(a, stream());
    alias(a).writeStaged(
      64,
      new Uint8Array(a.bytes - 64),
      stream(),
      native.allocate(device, 2 ** 22, 'pinned')
    );
  },
  'a staged copy to the host, which is complete when it returns': () => {
    const [a, staging] = [block(2 ** 23), native.allocate(device, 2 ** 23, 'pinned')];
    const other = block(2 ** 23);
    fill(a, stream());
    a.readStaged(0, new Uint8Array(a.bytes), stream(), staging);
    fill(alias(a), stream());
    other.writeStaged(0, new Uint8Array(a.bytes), stream(), staging);
  },
  'a copy from another device that does not wait': () => {
    const [a, there] = [block(), native.allocate(peer, 64, 'device')];
    fill(a, stream());
    there.copyFrom(0, alias(a), 0, 64, native.createStream(peer, { blocking: false, priority: 0 }));
  },
  'a copy from another device that waits': () => {
    const [a, there] = [block(), native.allocate(peer, 64, 'device')];
    const writer = stream();
    const reader = native.createStream(peer, { blocking: false, priority: 0 });
    fill(a, writer);
    reader.waitForStream(writer);
    there.copyFrom(0, alias(a), 0, 64, reader);
    writer.waitForStream(reader);
    fill(alias(a), writer);
  },
  'a host wait for another device': () => readAfterWrite(() => peer.synchronize()),
  'the legacy stream of another device': () => {
    const a = block();
    fill(a, stream(true));
    const there = native.allocate(peer, 64, 'device');
    there.copyFrom(0, alias(a), 0, 64, peer.legacyStream());
  },
  'read after write': () => readAfterWrite(() => {}),
  'write after read': () => {
    const [a, target] = [block(), block()];
    target.copyFrom(0, a, 0, 64, stream());
    fill(alias(a), stream());
  },
  'write after write': () => {
    const a = block();
    fill(a, stream());
    fill(alias(a), stream());
  },
  'read after read': () => {
    const a = block();
    read(a, stream());
    read(alias(a), stream());
  },
  'a wait for the stream': () => readAfterWrite((writer, reader) => reader.waitForStream(writer)),
  'a wait for an event': () => readAfterWrite((writer, reader) => wait(reader, mark(writer))),
  'a wait for an earlier event': () => {
    const a = block();
    const [writer, reader] = [stream(), stream()];
    const early = mark(writer);
    fill(a, writer);
    wait(reader, early);
    read(alias(a), reader);
  },
  'a wait for an event that was never recorded': () =>
    readAfterWrite((_writer, reader) => wait(reader, native.createEvent(device, false))),
  'a wait in the wrong direction': () => readAfterWrite((writer, reader) => writer.waitForStream(reader)),
  'a wait through a third stream': () =>
    readAfterWrite((writer, reader) => {
      const third = stream();
      third.waitForStream(writer);
      reader.waitForStream(third);
    }),
  'a host wait for the stream': () => readAfterWrite(writer => writer.synchronize()),
  'a host wait for an event': () => readAfterWrite(writer => mark(writer).synchronize()),
  'a host wait for the device': () => readAfterWrite(() => device.synchronize()),
  'a host wait for another stream': () => readAfterWrite((_writer, reader) => reader.synchronize()),
  'a query that returns done': () =>
    readAfterWrite(writer => {
      while (!writer.query());
    }),
  'a destroyed writer': () => readAfterWrite(writer => writer.destroy()),
  'a new stream after a host wait for a destroyed one': () => {
    const a = block();
    const writer = stream();
    fill(a, writer);
    writer.synchronize();
    writer.destroy();
    read(alias(a), stream());
  },
  'blocking streams around the legacy stream': () => {
    const a = block();
    const legacy = device.legacyStream();
    fill(a, stream(true));
    fill(alias(a), legacy);
    read(alias(a), stream(true));
  },
  'two blocking streams': () => {
    const a = block();
    fill(a, stream(true));
    fill(alias(a), stream(true));
  },
  'a stream that does not wait for the legacy one': () => {
    const a = block();
    fill(a, device.legacyStream());
    fill(alias(a), stream());
  },
  'adjacent ranges': () => {
    const a = block();
    fill(alias(a, 0, 32), stream());
    fill(alias(a, 32, 32), stream());
    fill(a, stream(), 0, 0);
  },
  'ranges that share one byte': () => {
    const a = block();
    fill(alias(a, 0, 33), stream());
    fill(alias(a, 32, 32), stream());
  },
  'one read over many writes': () => {
    const a = block();
    for (let at = 0; at < 64; at += 8) fill(alias(a, at, 8), stream());
    read(alias(a), stream());
  },
  'work that the library orders': () => {
    const [a, b] = [block(), block()];
    fill(a, stream());
    b.copyFrom(0, a, 0, 64, stream());
    fill(a, stream());
    read(b, stream());
    fill(b, stream());
  },
  'recorded external work that did not wait': () => {
    const a = block();
    fill(a, stream());
    a.recordUse(native.wrapStream(device, stream().handle), 'write');
  },
  'recorded external work that waited': () => {
    const a = block();
    const foreign = stream();
    fill(a, stream());
    a.prepare(foreign, 'write');
    a.recordUse(foreign, 'write');
    read(a, stream());
  },
  'an import without a wait': () => {
    const a = block();
    const producer = stream();
    fill(a, producer);
    read(alias(a), stream());
  },
  'an import that waits for its producer': () => {
    const a = block();
    const producer = stream();
    fill(a, producer);
    const imported = alias(a);
    imported.notePending(producer);
    read(imported, stream());
    read(a, stream());
  },
  'external memory whose producer was never waited for': () => {
    const foreign = block();
    alias(foreign).notePending(stream());
    read(alias(foreign), stream());
  },
  'memory that was freed and allocated again': () => {
    for (let round = 0; round < 20; round++) {
      const pointer = native.raw.memAlloc(device, 4096);
      fill(native.adopt(device, pointer, 4096, 'device', null), stream());
      native.raw.memFree(device, pointer);
    }
  },
  'a free in the order of another stream': () => {
    const [user, other] = [stream(), stream()];
    const pointer = native.raw.memAllocAsync(device, 64, user);
    fill(native.adopt(device, pointer, 64, 'device', null), user);
    native.raw.memFreeAsync(device, pointer, other);
  },
  'a use before the allocation in stream order': () => {
    const pointer = native.raw.memAllocAsync(device, 64, stream());
    fill(native.adopt(device, pointer, 64, 'device', null), stream());
  },
  'branches of a capture in order': () => {
    const a = block();
    const [origin, branch] = [stream(), stream()];
    origin.beginCapture();
    fill(a, origin);
    branch.waitForStream(origin);
    fill(alias(a), branch);
    origin.waitForStream(branch);
    fill(alias(a), origin);
    origin.endCapture().launch(origin);
  },
  'branches of a capture without order': () => {
    const a = block();
    const [origin, branch] = [stream(), stream()];
    origin.beginCapture();
    branch.waitForStream(origin);
    fill(a, origin);
    fill(alias(a), branch);
    origin.waitForStream(branch);
    origin.endCapture();
  },
  'captured work that is not launched': () => {
    const a = block();
    const origin = stream();
    fill(a, stream());
    origin.beginCapture();
    fill(alias(a), origin);
    origin.endCapture();
    fill(a, stream());
  },
  'a launch of a graph without order': () => {
    const a = block();
    const other = alias(a);
    const origin = stream();
    origin.beginCapture();
    fill(other, origin);
    const graph = origin.endCapture();
    fill(a, stream());
    graph.launch(origin);
  },
  'a capture orders nothing outside it': () => {
    const a = block();
    const [origin, branch] = [stream(), stream()];
    fill(a, origin);
    origin.beginCapture();
    branch.waitForStream(origin);
    fill(block(), branch);
    origin.waitForStream(branch);
    origin.endCapture();
    read(alias(a), branch);
  },
  'a read by a worker thread': async () => {
    const a = block();
    const done = a.readToHostAsync(0, new Uint8Array(64), stream());
    await done;
    fill(alias(a), stream());
  },
  'a read by a worker thread without a wait': async () => {
    const a = block();
    fill(a, stream());
    await alias(a).readToHostAsync(0, new Uint8Array(64), stream());
  },
  'the same two places repeatedly': () => {
    for (let round = 0; round < 5; round++) readAfterWrite(() => {});
  },
  'ordered work on many ranges': () => {
    const on = stream();
    const a = block(2 ** 16);
    for (let round = 0; round < 20_000; round++)
      fill(alias(a, (round * 7919) % 65_000, 1 + (round % 500)), on);
    on.synchronize();
    read(alias(a), stream());
  }
};

if (device.kind === 'simulated') {
  /** A sum over two ranks of their sources; `between` may replace the storage of the first one. */
  const sumUp = (
    between: (a: NativeStorage, writer: NativeStream, ranks: readonly NativeStream[]) => NativeStorage
  ): void => {
    const communicators = native.collectives.initAll([device, peer]);
    const ranks = [device, peer].map(on => native.createStream(on, { blocking: false, priority: 0 }));
    const sources = [device, peer].map(on => native.allocate(on, 64, 'device'));
    const targets = [device, peer].map(on => native.allocate(on, 64, 'device'));
    const writer = stream();
    const [a] = sources as [NativeStorage];
    fill(a, writer);
    sources[0] = between(a, writer, ranks);
    native.collectives.submit(
      communicators.map((communicator, rank) => ({
        kind: 0,
        communicator,
        stream: ranks[rank] as NativeStream,
        source: sources[rank] as NativeStorage,
        sourceOffset: 0,
        target: targets[rank] as NativeStorage,
        targetOffset: 0,
        count: 64,
        type: 1,
        op: 0,
        peer: 0
      }))
    );
    for (const rank of [0, 1]) read(alias(targets[rank] as NativeStorage), ranks[rank] as NativeStream);
  };
  scenarios['ranks that do not wait'] = () => sumUp(a => alias(a));
  scenarios['ranks that wait'] = () =>
    sumUp((a, writer, [first]) => {
      first?.waitForStream(writer);
      return alias(a);
    });
} else {
  const launch = (cooperative: 0 | 1): void => {
    const kernel = native.loadModule(device, new TextEncoder().encode('touch 8')).kernel('touch');
    kernel.config.set([1, 1, 1, 1, 1, 1, 0, cooperative, 1]);
    const a = block();
    fill(a, stream());
    for (const used of [a, alias(a)]) {
      kernel.operands[0] = used.key;
      native.keyed.launch(kernel.key, stream().key, 1);
    }
  };
  scenarios['kernels that do not wait'] = () => launch(0);
  scenarios['kernels of one grid that do not wait'] = () => launch(1);
  // Streams whose creation detection did not see, like another library's, whose waits may be invisible to it.
  const foreign = (): NativeStream => native.wrapStream(device, native.recording.makeStream());
  scenarios['an external stream that read a descriptor'] = () => {
    const a = block();
    fill(a, stream());
    const consumer = foreign();
    consumer.query();
    a.join(true);
    a.recordUse(consumer, 'read');
  };
  scenarios['an external stream that read no descriptor'] = () => {
    const a = block();
    fill(a, stream());
    a.recordUse(foreign(), 'read');
  };
}

let place = '';
const delivered: NativeHazardReport[] = [];
native.hazards.listen(
  () => place,
  reports => void delivered.push(...reports)
);

const results: Record<string, unknown> = {};
for (const [name, scenario] of Object.entries(scenarios)) {
  place = name;
  await scenario();
  delivered.push(...native.hazards.take());
  results[name] = delivered.splice(0).map(({ pointer: _, bytes, first, second }) => ({
    kind: `${second.access} after ${first.access}`,
    bytes,
    operations: [first.operation, second.operation],
    captured: [first.captured, second.captured],
    streams: first.streamId !== second.streamId && first.streamHandle !== second.streamHandle,
    sequences: [first.sequence, second.sequence],
    stacks: [first.stack, second.stack]
  }));
  native.hazards.clear();
  device.synchronize();
}
process.stdout.write(JSON.stringify(results));
