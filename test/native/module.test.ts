/** The addon's modules and kernels: values of wrong types, limits, and lifetimes. */

import type { NativeDevice, NativeStorage } from '../../src/native/binding.ts';
import type { NativeKernel, NativeModule } from '../../src/native/compiler-binding.ts';
import { collect, errorOf, launch, native, simulated, stream } from './support.ts';

const [device] = native.devices('recording') as [NativeDevice];
const { recording } = native;

const load = (image: string): NativeModule => native.loadModule(device, Buffer.from(image));
const onRecording = () => native.createStream(device, { blocking: false, priority: 0 });

/** A kernel whose launch is one block of one thread. */
function kernel(image = 'k 8 4'): NativeKernel {
  const made = load(image).kernel('k');
  made.config.fill(1, 0, 6);
  return made;
}

beforeEach(() => recording.reset());
afterAll(() => recording.reset());

test('parameters are placed as by a compiler', () => {
  expect(load('k 4 8 1 2 16 4').kernel('k').parameters).toEqual([
    { offset: 0, bytes: 4 },
    { offset: 8, bytes: 8 },
    { offset: 16, bytes: 1 },
    { offset: 18, bytes: 2 },
    { offset: 32, bytes: 16 },
    { offset: 48, bytes: 4 }
  ]);
  expect(load('k').kernel('k').values.byteLength).toBe(0);
});

test('values of the wrong kind are refused', () => {
  const k = kernel();
  const on = onRecording();
  const wrong: (() => unknown)[] = [
    () => native.loadModule(device, 'k 8' as never),
    () => native.loadModule({} as never, Buffer.from('k 8')),
    () => load('k 8').kernel(7 as never),
    () => load('k 8').global(undefined as never),
    () => native.keyed.launch(k.key, 0 as never, 0),
    () => native.keyed.launch(0 as never, on.key, 0),
    () => (native.keyed.launch as () => number)(),
    () => native.keyed.launch(k.key, on.key, 0.5),
    () => native.keyed.launch(k.key, on.key, -1),
    () => native.keyed.launch(k.key, on.key, 1),
    () => k.blocksPerMultiprocessor(0, 0),
    () => k.blocksPerMultiprocessor(1, -1),
    () => k.suggestBlock(0, 0.5)
  ];
  for (const call of wrong) expect(errorOf(call).kind).toMatch(/argument|bounds/);
  expect(recording.log().filter(call => call.startsWith('cuLaunch'))).toEqual([]);
});

test('a launch runs on the device of its module, with up to 256 blocks of memory', () => {
  const k = kernel('k 8');
  const on = onRecording();
  const block = native.allocate(device, 64, 'device');
  expect(errorOf(() => launch(k, stream())).message).toMatch(/on another device than kernel k/);
  expect(launch(k, on, ...Array<NativeStorage>(256).fill(block))).toBe(on.sequence);
  expect(errorOf(() => launch(k, on, ...Array<NativeStorage>(257).fill(block))).message).toContain(
    'at most 256 arrays'
  );
  block.release();
  expect(errorOf(() => launch(k, on, block)).kind).toBe('freed');
});

test('the simulated device has no modules', () => {
  expect(errorOf(() => native.loadModule(simulated(), Buffer.from('k 8')))).toMatchObject({
    kind: 'argument',
    message: expect.stringContaining('needs a GPU') as unknown
  });
});

test('code stays loaded while it can run, and is unloaded once', () => {
  let module: NativeModule | null = load('k 4');
  const k = module.kernel('k');
  k.config.fill(1, 0, 6);
  module = null;
  collect();
  expect(recording.log().filter(call => call.startsWith('cuModuleUnload'))).toEqual([]);
  launch(k, onRecording());
  const other = load('k 4');
  other.unload();
  other.unload();
  expect(recording.log().filter(call => call.startsWith('cuModuleUnload'))).toHaveLength(1);
  expect(errorOf(() => other.kernel('k')).kind).toBe('freed');
});
