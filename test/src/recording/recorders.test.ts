/** Common behaviour of all four recorders. */

import { ArgumentError, exchanges, hazards, memoryLog, trace, zeros } from '../../../src/index.ts';

beforeAll(() => (process.env['STRIDELAB_HAZARDS'] = '1'));
afterAll(() => delete process.env['STRIDELAB_HAZARDS']);

const recorders = { trace, memoryLog, exchanges, hazards };

describe.each(Object.entries(recorders))('%s', (name, recorder) => {
  afterEach(() => recorder.stop());

  test('starts, stops and starts again, and reports whether it records', () => {
    expect(recorder.start()).toBe(recorder);
    expect(recorder.enabled).toBe(true);
    recorder.stop();
    expect(recorder.enabled).toBe(false);
    recorder.stop();
    {
      using again = recorder.start();
      expect(again.enabled).toBe(true);
    }
    expect(recorder.enabled).toBe(false);
  });

  test('has nothing to read after a start and after clear', () => {
    recorder.start();
    using array = zeros([4], { device: 'sim:0' });
    void array.__cuda_array_interface__;
    recorder.clear();
    expect(recorder.read()).toMatchObject({ events: [], dropped: 0 });
    recorder.start();
    expect(recorder.read()).toMatchObject({ events: [], dropped: 0 });
  });

  test.each([0, -1, 1.5, NaN, '3', null])('refuses %p as capacity', capacity => {
    const start = (): unknown => recorder.start({ capacity: capacity as number });
    expect(start).toThrow(ArgumentError);
    expect(start).toThrow(`${name}.start`);
  });

  test('informs listeners of a start and an end, until they unsubscribe', () => {
    let told = 0;
    const end = recorder.onChange(() => told++);
    recorder.start();
    expect(told).toBeGreaterThan(0);
    const started = told;
    recorder.stop();
    expect(told).toBeGreaterThan(started);
    const ended = told;
    end();
    recorder.start();
    expect(told).toBe(ended);
  });
});

test.each([
  ['trace', trace],
  ['memoryLog', memoryLog],
  ['exchanges', exchanges]
] as const)('%s keeps the newest of its capacity and counts the others', (_, recorder) => {
  using _recording = recorder.start({ capacity: 2 });
  const arrays = Array.from({ length: 5 }, () => zeros([4], { device: 'sim:0' }));
  for (const array of arrays) void array.__cuda_array_interface__;
  const { events, dropped } = recorder.read();
  expect(events).toHaveLength(2);
  expect(dropped).toBeGreaterThanOrEqual(3);
  for (const array of arrays) array.dispose();
});

test('hazards cannot start if the process began without detection', () => {
  delete process.env['STRIDELAB_HAZARDS'];
  try {
    expect(() => hazards.start()).toThrow('set STRIDELAB_HAZARDS to 1, warn or throw before it starts');
    expect(hazards.enabled).toBe(false);
  } finally {
    process.env['STRIDELAB_HAZARDS'] = '1';
  }
});
