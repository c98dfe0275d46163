/** Pictures of devices and streams: their contents, and that inspection changes nothing. */

import { describeDevice } from '../../../src/pictures/device/describe.ts';
import type { DevicePicture } from '../../../src/pictures/device/schema.ts';
import {
  describeDestroyed,
  describeStream,
  recentOperations
} from '../../../src/pictures/stream/describe.ts';
import type { StreamPicture } from '../../../src/pictures/stream/schema.ts';
import type { BaseCUDAMemoryManager } from '../../../src/memory/index.ts';
import {
  DefaultCUDAMemoryManager,
  StatisticsAdaptor,
  usingMemoryManager
} from '../../../src/memory/index.ts';
import {
  add,
  devices,
  DISPLAY_METHOD,
  DriverError,
  Stream,
  trace,
  zeros,
  type Device
} from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';
import { native } from '../../../src/native/load.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const sim = toDevice('sim:0');
const recording = toDevice('rec:0');
const bundle = (value: Device | Stream): Record<string, unknown> => value[DISPLAY_METHOD]();
const memoryOf = (picture: DevicePicture): NonNullable<DevicePicture['memory']> => {
  if (picture.memory === null) throw new Error('no memory');
  return picture.memory;
};

afterEach(() => {
  native().recording.reset();
  native().simulated.setSchedule('eager');
  trace.stop();
});

describe('a device', () => {
  test('is marked as simulated, with its schedule and an explanation', () => {
    expect(describeDevice(sim)).toMatchObject({
      label: 'sim:0',
      uuid: sim.uuid,
      slice: null,
      problem: null,
      simulated: { schedule: 'eager', meaning: expect.stringContaining('stay hidden') as unknown }
    });
    native().simulated.setSchedule('hazard');
    expect(describeDevice(sim).simulated).toMatchObject({
      schedule: 'hazard',
      meaning: expect.stringContaining('wrong values') as unknown
    });
  });

  test('has facts only that apply: a simulated one no multiprocessors, no ECC and no libraries of NVIDIA', () => {
    const { facts, libraries } = describeDevice(sim);
    expect(facts.map(({ name }) => name)).toEqual(['Compute capability', 'Driver']);
    expect(libraries.map(({ name }) => name)).toEqual(['Python']);
  });

  test('counts the bytes of arrays here', () => {
    const before = memoryOf(describeDevice(sim));
    using array = zeros(1 << 20, { dtype: 'uint8', device: sim });
    const after = memoryOf(describeDevice(sim));
    expect(after.ours - before.ours).toBe(array.nbytes);
    expect(after.total).toBe(sim.totalMemory);
  });

  test('names the current memory manager, the outermost first, and creates none', () => {
    class Plain extends DefaultCUDAMemoryManager {
      static made = 0;
      constructor(...parameters: ConstructorParameters<typeof BaseCUDAMemoryManager>) {
        super(...parameters);
        Plain.made += 1;
      }
    }
    {
      using _ = usingMemoryManager(Plain);
      expect(describeDevice(sim).manager).toEqual(['Plain']);
      expect(Plain.made).toBe(0);
    }
    using _ = usingMemoryManager(StatisticsAdaptor.over(DefaultCUDAMemoryManager));
    zeros(3, { device: sim }).dispose();
    expect(describeDevice(sim).manager).toEqual(['StatisticsAdaptor', 'DefaultCUDAMemoryManager']);
  });

  test('that is a slice of a GPU has the profile in its name, and the UUID in the format of nvidia-smi', () => {
    const digits = '00010203-0405-0607-0809-0a0b0c0d0e0f';
    const named = (name: string): Device =>
      Object.create(recording, { name: { value: name }, uuid: { value: `GPU-${digits}` } }) as Device;
    for (const profile of ['1g.10gb', '1g.10gb+me', '1c.3g.40gb'])
      expect(describeDevice(named(`NVIDIA H100 80GB HBM3 MIG ${profile}`))).toMatchObject({
        slice: profile,
        uuid: `MIG-${digits}`
      });
    expect(describeDevice(named('NVIDIA H100 80GB HBM3'))).toMatchObject({
      slice: null,
      uuid: `GPU-${digits}`
    });
  });

  test("that does not answer is described all the same, with the driver's error", () => {
    zeros(1, { device: recording }).dispose();
    native().recording.fail('cuMemGetInfo', 999, 1);
    const picture = describeDevice(recording);
    expect(picture.memory).toBeNull();
    expect(picture.problem).toContain('cuMemGetInfo');
  });

  test('that is lost keeps its name and its facts, and reaches nothing; other devices are unaffected', () => {
    using stream = new Stream({ device: recording });
    zeros(1, { stream }).dispose();
    const before = describeDevice(recording);
    native().recording.fail('*', 719, -1);
    const lost = describeDevice(recording);
    expect(lost).toEqual({
      ...before,
      memory: null,
      problem: expect.stringContaining('the device is lost') as unknown
    });
    expect(describeStream(stream)).toMatchObject({ condition: 'failed' });
    expect(String(bundle(recording)['text/html'])).toContain('does not respond');
    expect(describeDevice(sim).problem).toBeNull();
    // A stream of a lost device cannot be destroyed.
    native().recording.reset();
  });

  test('lists the devices that it reaches: never a device of another driver', () => {
    for (const { label, reach } of describeDevice(recording).peers) {
      expect(toDevice(label).kind).not.toBe('recording');
      expect(reach).toBe('never');
    }
    expect(describeDevice(sim).peers.map(({ label }) => label)).toEqual(
      devices()
        .filter(device => device !== sim)
        .map(({ label }) => label)
    );
  });

  test('is displayed with our type, HTML and text, all small', () => {
    const shown = bundle(sim);
    expect(Object.keys(shown)).toEqual(['application/vnd.stridelab.picture+json', 'text/html', 'text/plain']);
    expect(shown['application/vnd.stridelab.picture+json']).toMatchObject({ view: 'DeviceCard' });
    expect(String(shown['text/html'])).toMatch(/sim:0 \(simulated\).*[Ss]chedule eager/);
    expect(String(shown['text/html']).length).toBeLessThan(10_000);
    expect(shown['text/plain']).toContain(sim.uuid);
  });
});

describe('a stream', () => {
  skipUnderPlugin('has handle, flags, priority and progress', () => {
    using stream = new Stream({ device: sim, priority: -1 });
    zeros(4, { stream }).dispose();
    stream.synchronize();
    expect(describeStream(stream)).toMatchObject({
      label: `stream #${stream.id}`,
      handle: `0x${stream.handle.toString(16)}`,
      device: 'sim:0',
      simulated: true,
      condition: 'idle',
      owned: true,
      blocking: false,
      priority: -1,
      submitted: stream.native.sequence,
      completed: stream.native.sequence,
      waits: 0,
      waitsFor: []
    });
    using blocking = new Stream({ device: sim, blocking: true });
    expect(describeStream(blocking).blocking).toBe(true);
    expect(describeStream(Stream.legacyDefault(sim))).toMatchObject({
      handle: '1',
      owned: false,
      blocking: true
    });
  });

  test('made elsewhere keeps its flags', () => {
    const handle = native().recording.makeStream();
    const { blocking, owned } = describeStream(Stream.fromHandle(handle, recording));
    expect({ blocking, owned }).toEqual({ blocking: false, owned: false });
  });

  test('shows what it waits for', () => {
    using first = new Stream({ device: sim });
    using second = new Stream({ device: sim });
    // Completed work needs no wait; under this schedule, none is complete.
    native().simulated.setSchedule('hazard');
    const array = zeros([10, 10], { stream: first });
    add(array, array, { stream: second }).dispose();
    const { waits, waitsFor } = describeStream(second);
    expect(waits).toBe(1);
    expect(waitsFor).toEqual([{ label: `stream #${first.id}`, sequence: first.native.sequence }]);
    second.wait(first);
    expect(describeStream(second).waits).toBe(2);
  });

  test('under the hazard schedule is not queried, since a query lets held work run', () => {
    using stream = new Stream({ device: sim });
    stream.synchronize();
    native().simulated.setSchedule('hazard');
    const array = zeros(4, { stream });
    expect(describeStream(stream).condition).toBe('held');
    expect(describeStream(stream).completed).toBeLessThan(stream.native.sequence);
    array.dispose();
    stream.synchronize();
    expect(describeStream(stream).condition).toBe('idle');
  });

  test.each([
    [
      'capturing',
      (stream: Stream): StreamPicture => {
        let picture: StreamPicture | undefined;
        stream.capture(() => {
          picture = describeStream(stream);
        });
        return picture as StreamPicture;
      }
    ],
    [
      'destroyed',
      (stream: Stream): StreamPicture => {
        stream.dispose();
        return describeStream(stream);
      }
    ],
    [
      'failed',
      (stream: Stream): StreamPicture => {
        stream.query = () => {
          throw new DriverError('it broke', 'cuStreamQuery', 719, 'CUDA_ERROR_LAUNCH_FAILED');
        };
        return describeStream(stream);
      }
    ]
  ] as const)('that is %s is described as such', (condition, picture) => {
    const stream = new Stream({ device: sim });
    const { condition: found, problem } = picture(stream);
    expect(found).toBe(condition);
    expect(problem === null).toBe(condition !== 'failed');
    stream.dispose();
  });

  test('that was destroyed keeps its last description, marked as destroyed', () => {
    using stream = new Stream({ device: sim });
    const gone = describeDestroyed(describeStream(stream));
    expect(gone).toMatchObject({ condition: 'destroyed', label: stream.toString(), waitsFor: [] });
  });

  test('lists its own latest operations of a trace, newest first, and only a few', () => {
    using stream = new Stream({ device: sim });
    using other = new Stream({ device: sim });
    using _ = trace.start();
    for (let i = 0; i < 30; i++) zeros(4, { stream }).dispose();
    expect(Buffer.byteLength(String(bundle(stream)['text/html']))).toBeLessThan(10_000);
    zeros(4, { stream: other }).dispose();
    const operations = recentOperations(stream);
    expect(operations.length).toBe(12);
    expect(operations.every(({ kind }) => kind === 'fill')).toBe(true);
    const numbers = operations.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(describeStream(stream).tracing).toBe(true);
  });

  test('is displayed with our type, HTML and text, all small', () => {
    using stream = new Stream({ device: sim });
    const shown = bundle(stream);
    expect(shown['application/vnd.stridelab.picture+json']).toMatchObject({ view: 'StreamPill' });
    expect(String(shown['text/html'])).toContain(`stream #${stream.id} on sim:0 (simulated): idle`);
    expect(shown['text/plain']).toContain('non-blocking');
  });
});
