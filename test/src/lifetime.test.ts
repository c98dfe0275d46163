import { DeviceLostError, devices, FreedError, Stream, zeros } from '../../src/index.ts';
import { toDevice } from '../../src/device.ts';
import { native } from '../../src/native/load.ts';

describe('a device that is lost', () => {
  const device = toDevice('rec:0');
  const LAUNCH_FAILED = 719;
  afterEach(() => native().recording.reset());

  test('rules 88, 103: every call is a DeviceLostError, and disposing is silent', () => {
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
      expect(call).toThrow(/until the process is started anew/);
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

  test('rule 88: asynchronous reads reject with it', async () => {
    const stream = new Stream({ device });
    const array = zeros(8, { stream });
    native().recording.fail('*', LAUNCH_FAILED, -1);
    await expect(array.toTypedArrayAsync()).rejects.toThrow(DeviceLostError);
    await expect(stream.synchronizeAsync()).rejects.toThrow(DeviceLostError);
  });
});

describe('the recording device', () => {
  test('is found by its label, and is not among the devices', () => {
    const device = toDevice('rec:0');
    expect(device.label).toBe('rec:0');
    expect(device.simulated).toBe(true);
    expect(toDevice('rec')).toBe(device);
    expect(devices()).not.toContain(device);
    expect(zeros(2, { device }).device).toBe(device);
  });
});
