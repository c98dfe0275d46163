/** Small programs with and without hazards, for a process that has detection on; prints what each one had reported, as JSON. */

import { createRequire } from 'node:module';

import type {
  DriverKind,
  NativeBinding,
  NativeDevice,
  NativeEvent,
  NativeHazardReport,
  NativeStorage,
  NativeStream
} from '../../src/native/binding.ts';

const native = createRequire(import.meta.url)('#native') as NativeBinding;
const [device] = native.devices(process.argv[2] as DriverKind) as [NativeDevice];

const stream = (blocking = false): NativeStream => native.createStream(device, { blocking, priority: 0 });
const block = (bytes = 64): NativeStorage => native.allocate(device, bytes, 'device');
/** The same bytes as a storage that knows nothing of the other's uses. */
const alias = (of: NativeStorage, offset = 0, bytes = of.bytes - offset): NativeStorage =>
  native.adopt(device, of.pointer + BigInt(offset), bytes, 'device', null);
const fill = (on: NativeStorage, by: NativeStream, offset = 0, bytes = on.bytes - offset): void =>
  on.fill(offset, 1, 7, bytes, by);
const read = (of: NativeStorage, by: NativeStream): void => of.readToHost(0, new Uint8Array(of.bytes), by);

function mark(on: NativeStream): NativeEvent {
  const event = native.createEvent(device, false);
  on.record(event);
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
  'a wait for an event': () => readAfterWrite((writer, reader) => reader.wait(mark(writer))),
  'a wait for an event from before': () => {
    const a = block();
    const [writer, reader] = [stream(), stream()];
    const early = mark(writer);
    fill(a, writer);
    reader.wait(early);
    read(alias(a), reader);
  },
  'a wait for an event that was never recorded': () =>
    readAfterWrite((_writer, reader) => reader.wait(native.createEvent(device, false))),
  'a wait the other way round': () => readAfterWrite((writer, reader) => writer.waitForStream(reader)),
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
  'a query that says done': () =>
    readAfterWrite(writer => {
      while (!writer.query());
    }),
  'a destroyed writer': () => readAfterWrite(writer => writer.destroy()),
  'a new stream after the host waited for a destroyed one': () => {
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
  'ranges side by side': () => {
    const a = block();
    fill(alias(a, 0, 32), stream());
    fill(alias(a, 32, 32), stream());
    fill(a, stream(), 0, 0);
  },
  'ranges of one byte in common': () => {
    const a = block();
    fill(alias(a, 0, 33), stream());
    fill(alias(a, 32, 32), stream());
  },
  'one read over many writes': () => {
    const a = block();
    for (let at = 0; at < 64; at += 8) fill(alias(a, at, 8), stream());
    read(alias(a), stream());
  },
  'what the library orders itself': () => {
    const [a, b] = [block(), block()];
    fill(a, stream());
    b.copyFrom(0, a, 0, 64, stream());
    fill(a, stream());
    read(b, stream());
    fill(b, stream());
  },
  'foreign work that was told of, and did not wait': () => {
    const a = block();
    fill(a, stream());
    a.recordUse(native.wrapStream(device, stream().handle), 'write');
  },
  'foreign work that was told of, and waited': () => {
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
  'memory of others whose producer was never waited for': () => {
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
  'captured work does not race while it is only kept': () => {
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
  'a read by a worker thread of what nobody waited for': async () => {
    const a = block();
    fill(a, stream());
    await alias(a).readToHostAsync(0, new Uint8Array(64), stream());
  },
  'the same two places again and again': () => {
    for (let round = 0; round < 5; round++) readAfterWrite(() => {});
  },
  'ordered work on many ranges': () => {
    const on = stream();
    const a = block(2 ** 16);
    for (let round = 0; round < 20_000; round++) fill(alias(a, (round * 7919) % 65_000, 1 + (round % 500)), on);
    on.synchronize();
    read(alias(a), stream());
  }
};

if (device.kind === 'recording') {
  // Streams that detection did not see made, as those of another library, which may wait in ways that it cannot see.
  const foreign = (): NativeStream => native.wrapStream(device, native.recording.makeStream());
  scenarios['a stream of somebody else that read a descriptor'] = () => {
    const a = block();
    fill(a, stream());
    const consumer = foreign();
    consumer.query();
    a.join(true);
    a.recordUse(consumer, 'read');
  };
  scenarios['a stream of somebody else that read none'] = () => {
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
