import {
  DeviceLostError,
  devices,
  DriverError,
  Event,
  exportCudaArrayInterface,
  FreedError,
  fromCudaArrayInterface,
  Stream,
  zeros
} from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';
import { native } from '../../../src/native/load.ts';

describe('a device that is lost', () => {
  const device = toDevice('rec:0');
  const LAUNCH_FAILED = 719;
  afterEach(() => native().recording.reset());

  test('rules 88, 103: every call throws a DeviceLostError, and disposing is silent', () => {
    const stream = new Stream({ device });
    const array = zeros(8, { stream });
    const view = array.slice('1:');
    native().recording.fail('*', LAUNCH_FAILED, -1);
    for (const call of [
      () => array.toTypedArray(),
      () => array.fill(1),
      () => view.item(0),
      () => device.memoryInfo()
    ]) {
      expect(call).toThrow(DeviceLostError);
      expect(call).toThrow(/until the process is restarted/);
    }
    let thrown: unknown;
    try {
      stream.synchronize();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'ERR_DEVICE_LOST',
      statusName: 'CUDA_ERROR_LAUNCH_FAILED',
      status: LAUNCH_FAILED
    });
    view.dispose();
    array.dispose();
    array[Symbol.dispose]();
    expect(array.freed).toBe(true);
    expect(() => array.pointer).toThrow(FreedError);
  });

  test('rule 103: streams, events and graphs of it are disposed silently too, and are destroyed', () => {
    const stream = new Stream({ device });
    const event = stream.record();
    const array = zeros(8, { stream });
    const graph = stream.capture(() => void array.fill(1));
    const unfinished = new Stream({ device });
    unfinished.record(event);
    native().recording.fail('*', LAUNCH_FAILED, -1);
    for (const owned of [graph, event, stream, unfinished]) {
      owned[Symbol.dispose]();
      owned.dispose();
    }
    expect(stream.destroyed).toBe(true);
    expect(() => stream.synchronize()).toThrow(FreedError);
    expect(() => event.query()).toThrow(FreedError);
    expect(() => new Event({ device })).toThrow(DeviceLostError);
    array.dispose();
  });

  test('rule 103: an array over external memory is disposed silently too, though its last use cannot be reported to anybody', () => {
    using stream = new Stream({ device });
    using other = new Stream({ device });
    using array = zeros(8, { stream });
    const imported = fromCudaArrayInterface(exportCudaArrayInterface(array, { event: true }), {
      stream: other,
      device
    });
    imported.fill(1);
    native().recording.fail('*', LAUNCH_FAILED, -1);
    imported.dispose();
    expect(imported.freed).toBe(true);
  });

  test('a driver error at the end of a stream is still reported', () => {
    const stream = new Stream({ device });
    native().recording.fail('cuStreamDestroy', 999, 1);
    expect(() => stream.dispose()).toThrow(DriverError);
    expect(stream.destroyed).toBe(true);
  });

  test('a capture in progress ends with the error that lost the device', () => {
    const stream = new Stream({ device });
    const array = zeros(8, { stream });
    const capture = (): unknown =>
      stream.capture(() => {
        native().recording.fail('*', LAUNCH_FAILED, -1);
        array.fill(1);
      });
    expect(capture).toThrow(DeviceLostError);
    expect(stream.capturing).toBe(false);
    stream.dispose();
    array.dispose();
  });

  test('rule 88: asynchronous reads reject', async () => {
    const stream = new Stream({ device });
    const array = zeros(8, { stream });
    native().recording.fail('*', LAUNCH_FAILED, -1);
    await expect(array.toTypedArrayAsync()).rejects.toThrow(DeviceLostError);
    await expect(stream.synchronizeAsync()).rejects.toThrow(DeviceLostError);
  });
});

describe('the recording device', () => {
  test('is found by its label, but is not listed among the devices', () => {
    const device = toDevice('rec:0');
    expect(device.label).toBe('rec:0');
    expect(device.simulated).toBe(true);
    expect(toDevice('rec')).toBe(device);
    expect(devices()).not.toContain(device);
    expect(zeros(2, { device }).device).toBe(device);
  });
});
