import { jest } from '@jest/globals';
import { createDeviceCard } from '../../../labextension/src/views/device/card.ts';
import { createStreamPill } from '../../../labextension/src/views/stream/pill.ts';
import type { Channel, CreateView, View } from '../../../labextension/src/views/kit/view.ts';
import { until } from '../../setup/until.ts';
import type { DevicePicture, DeviceUseSample } from '../../../src/pictures/device/schema.ts';
import type { StreamPicture } from '../../../src/pictures/stream/schema.ts';

const device: DevicePicture = {
  version: 1,
  label: 'cuda:0',
  name: 'NVIDIA H100 80GB HBM3 MIG 1g.10gb',
  uuid: 'GPU-0a1b2c3d-0000-1111-2222-333344445555',
  isDefault: true,
  slice: '1g.10gb',
  simulated: null,
  memory: { total: 1000, free: 400, ours: 250 },
  problem: null,
  manager: ['LoggingAdaptor', 'DefaultCUDAMemoryManager'],
  facts: [{ name: 'Multiprocessors', value: '132', meaning: '2048 threads each' }],
  libraries: [
    { name: 'NVRTC', state: 'in use', version: '13.0', detail: '/lib/libnvrtc.so.13', purpose: 'compiles' },
    {
      name: 'NCCL',
      state: 'missing',
      version: '',
      detail: 'pip install nvidia-nccl-cu13',
      purpose: 'collectives'
    }
  ],
  peers: [
    { label: 'cuda:1', name: 'NVIDIA H100', reach: 'direct', reached: 'copies' },
    { label: 'sim:0', name: 'Stridelab simulated device', reach: 'never', reached: 'never' }
  ]
};
const simulatedDevice: DevicePicture = {
  ...device,
  label: 'sim:0',
  slice: null,
  simulated: { schedule: 'hazard', meaning: 'A missing wait gives wrong values.' },
  peers: []
};
const stream: StreamPicture = {
  version: 1,
  label: 'stream #3',
  handle: '0x5100000010',
  device: 'sim:0',
  simulated: true,
  condition: 'busy',
  problem: null,
  owned: true,
  blocking: false,
  priority: 0,
  priorities: { least: 0, greatest: -5 },
  submitted: 7,
  completed: 4,
  waits: 2,
  waitsFor: [{ label: 'stream #1', sequence: 12 }],
  tracing: true,
  operations: [
    { number: 9, kind: 'kernel', name: 'add', bytes: 4096, cell: 'In [3]', start: 1, duration: 3.14 },
    {
      number: 8,
      kind: 'copy-host-to-device',
      name: 'copy',
      bytes: 0,
      cell: null,
      start: null,
      duration: null
    }
  ]
};

let host: HTMLElement;
let view: View | undefined;
const asked: string[] = [];
let answer: () => Promise<unknown> = () => Promise.resolve();
const channel: Channel = {
  request: async method => {
    asked.push(method);
    await answer();
    return { content: {}, buffers: [] };
  },
  onPush: () => () => undefined
};

function open(create: CreateView, data: unknown, connected = true, withChannel = true): void {
  view = create(host, withChannel ? { channel } : {});
  view.update(data, connected);
}

const text = (selector: string): string => host.querySelector(selector)?.textContent ?? `no ${selector}`;
const button = (label: string): HTMLButtonElement | undefined =>
  [...host.querySelectorAll('button')].find(candidate => candidate.textContent?.includes(label));
const rows = (): string[][] =>
  [...host.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.textContent ?? ''));
const problem = (): string => {
  const sentence = host.querySelector<HTMLElement>('[role=alert]');
  return sentence?.hidden === false ? (sentence.textContent ?? '') : '';
};

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  asked.length = 0;
  answer = () => Promise.resolve();
});
afterEach(() => {
  view?.dispose();
  host.remove();
  jest.useRealTimers();
});

describe('the card of a device', () => {
  test('shows name, slice, memory manager and facts', () => {
    open(createDeviceCard, device);
    expect(text('.stridelab-header')).toContain('NVIDIA H100 80GB HBM3 MIG 1g.10gb');
    expect(text('.stridelab-header')).toContain('default device, MIG slice 1g.10gb');
    expect(text('.stridelab-strip')).toContain(device.uuid);
    expect(text('.stridelab-strip')).toContain('LoggingAdaptor › DefaultCUDAMemoryManager');
    expect(rows()).toContainEqual(['Multiprocessors', '132', '2048 threads each']);
  });

  test('draws memory as a bar and gives the same figures as text', () => {
    open(createDeviceCard, device);
    const share = (name: string): string =>
      host.querySelector<HTMLElement>(`.stridelab-parts [data-part=${name}]`)?.style.flexGrow ?? '';
    expect([share('used'), share('other'), share('free')]).toEqual(['250', '350', '400']);
    expect(host.querySelector('.stridelab-parts')?.getAttribute('aria-label')).toBe('600 B of 1000 B in use');
    expect(text('.stridelab-legend')).toBe(
      '250 B in blocks of this process350 B reserved by pools, contexts and other processes400 B free of 1000 B'
    );
  });

  describe('use over time', () => {
    const used = (at: number, bytes: number, busy: number | null = null): DeviceUseSample => ({
      at: at * 1000,
      used: bytes,
      ours: bytes / 2,
      busy
    });
    const chart = (): HTMLElement | null => host.querySelector<HTMLElement>('.stridelab-use');
    const line = (name: string): string =>
      host.querySelector(`.stridelab-use-${name}`)!.getAttribute('d') ?? '';

    test('is absent without samples, as in a static picture, and is hidden when they restart', async () => {
      open(createDeviceCard, device, false);
      view!.update({ ...device, use: [used(1, 100)] }, true);
      expect(chart()).toBeNull();
      view!.update({ ...device, use: [used(1, 100), used(2, 100)] }, true);
      await until(() => chart()?.hidden === false);
      view!.update({ ...device, use: [used(9, 100)] }, true);
      expect(chart()?.hidden).toBe(true);
    });

    test('is a step chart, a sentence, and a table when it is opened', async () => {
      const use = [used(0, 100, 0), used(1, 400, 90), used(40, 400, 30), used(41, 200, null)];
      open(createDeviceCard, { ...device, use });
      await until(() => chart() !== null);
      // 41 seconds over 600 units; there was no sample between the second and the third.
      expect(line('used')).toBe('M0.0 100V75.0H14.6V0.0H14.6V100M585.4 100V0.0H600.0V50.0H600.0V100');
      expect(line('busy')).toBe('M0.0 100.0H14.6V10.0H14.6M585.4 70.0H600.0');
      expect(text('.stridelab-use p')).toBe(
        'Last 41 s: memory in use 100 B to 400 B, now 200 B. Utilization 0 to 90 %, now –.'
      );
      const table = (): string[][] => rows().filter(cells => cells.length === 4 && /^\d+$/.test(cells[0]!));
      expect(table()).toEqual([]);
      const details = chart()!.querySelector('details')!;
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
      expect(table()).toEqual([
        ['0', '200 B', '100 B', '–'],
        ['1', '400 B', '200 B', '30 %'],
        ['40', '400 B', '200 B', '90 %'],
        ['41', '100 B', '50 B', '0 %']
      ]);
    });

    test('has no utilization if none is known', async () => {
      open(createDeviceCard, { ...device, use: [used(0, 0), used(5, 0)] });
      await until(() => chart() !== null);
      expect(text('.stridelab-use p')).toBe('Last 5 s: memory in use 0 B to 0 B, now 0 B.');
      expect(line('busy')).toBe('');
    });
  });

  test('lists the libraries, and how the memory of other devices is reached, in words', () => {
    open(createDeviceCard, device);
    expect(rows()).toContainEqual(['NVRTC 13.0', '●in use', 'compiles', '/lib/libnvrtc.so.13']);
    expect(rows()).toContainEqual(['NCCL', '⊘not found', 'collectives', 'pip install nvidia-nccl-cu13']);
    expect(rows()).toContainEqual(['cuda:1', '✓direct', '○copies', 'NVIDIA H100']);
    expect(rows()).toContainEqual(['sim:0', '⊘never', '⊘never', 'Stridelab simulated device']);
  });

  test('a simulated device is clearly marked, with its schedule and an explanation', () => {
    open(createDeviceCard, simulatedDevice);
    expect(text('[data-kind=simulated]')).toContain('simulated');
    expect(host.textContent).toContain('Simulated in host memory. Schedule hazard:');
    expect(host.textContent).toContain('A missing wait gives wrong values.');
  });

  test('a driver error is shown in its own words, and no bar is drawn', () => {
    open(createDeviceCard, { ...device, memory: null, problem: 'CUDA_ERROR_LAUNCH_FAILED' });
    expect(text('.stridelab-memory > p')).toBe('The driver does not respond: CUDA_ERROR_LAUNCH_FAILED');
    expect(host.querySelector<HTMLElement>('.stridelab-parts')?.hidden).toBe(true);
  });

  test('a device that is lost while it is shown keeps its name, and shows only the loss', () => {
    open(createDeviceCard, device);
    const [bus] = host.querySelectorAll('tbody tr');
    const peers = device.peers.map(peer => ({ ...peer, reach: 'never', reached: 'never' }));
    const lost = { ...device, memory: null, problem: 'cuMemGetInfo failed: the device is lost', peers };
    view?.update(lost, true);
    expect(text('.stridelab-memory > p')).toContain('the device is lost');
    expect(host.querySelector<HTMLElement>('.stridelab-legend')?.hidden).toBe(true);
    expect(host.querySelectorAll('tbody tr')[0]).toBe(bus);
    expect(text('.stridelab-header')).toContain(device.name);
    expect(rows()).toContainEqual(['cuda:1', '⊘never', '⊘never', 'NVIDIA H100']);
    expect(host.querySelector('[title="Another driver, or a device that was lost"]')).not.toBeNull();
    // Another device's card beside it is unchanged.
    const other = document.createElement('div');
    host.append(other);
    createDeviceCard(other, { channel }).update({ ...device, label: 'cuda:1' }, true);
    expect(other.querySelector<HTMLElement>('.stridelab-parts')?.hidden).toBe(false);
    expect(other.querySelector('section')?.getAttribute('aria-label')).toBe('Device cuda:1');
  });

  test('memory waiting to be released does not count as used by others', () => {
    open(createDeviceCard, { ...device, memory: { total: 1000, free: 400, ours: 250, waiting: 300 } });
    expect(text('.stridelab-legend')).toBe(
      '250 B in blocks of this process300 B pending release50 B reserved by pools, contexts and other processes400 B free of 1000 B'
    );
  });

  test('exhausted memory fills the bar, whatever share others hold', () => {
    open(createDeviceCard, { ...device, memory: { total: 1000, free: 0, ours: 1000 } });
    const others = host.querySelector<HTMLElement>('[data-part=other]');
    expect([others?.hidden, text('.stridelab-legend')]).toEqual([
      true,
      '1000 B in blocks of this process0 B reserved by pools, contexts and other processes0 B free of 1000 B'
    ]);
    // Blocks of a pool may be counted before the driver counts them.
    view?.update({ ...device, memory: { total: 1000, free: 100, ours: 950 } }, true);
    expect(text('.stridelab-legend')).toContain('0 B reserved by pools');
  });

  test('without memory no part is drawn', () => {
    open(createDeviceCard, { ...device, memory: { total: 0, free: 0, ours: 0 } });
    expect(host.querySelectorAll('.stridelab-parts > :not([hidden])')).toHaveLength(0);
  });

  test('keeps its rows over updates, and becomes a snapshot without a kernel', () => {
    open(createDeviceCard, device);
    const row = host.querySelector('tbody tr');
    view?.update({ ...device, memory: { total: 1000, free: 100, ours: 900 } }, false);
    expect(host.querySelector('tbody tr')).toBe(row);
    expect(text('.stridelab-lifetime')).toContain('snapshot');
  });
});

describe('the pill of a stream', () => {
  /** Unfolds the details, and waits until their code is loaded. */
  const unfold = async (): Promise<void> => {
    button('stream #3')?.click();
    await until(() => host.textContent?.includes('Handle 0x5100000010') === true);
  };

  test('shows its name, state and progress in one line, and its handle when it is unfolded', async () => {
    open(createStreamPill, stream);
    const line = text('.stridelab-header');
    for (const fact of ['stream #3', 'sim:0 (simulated)', 'busy', '4 of 7 done'])
      expect(line).toContain(fact);
    expect(line).toContain('non-blocking, priority 0');
    expect(host.textContent).not.toContain('Handle');
    await unfold();
  });

  test.each([
    ['held', 'held', 'hazard schedule'],
    ['capturing', 'capturing', 'captured into a graph'],
    ['failed', 'failed', 'it broke']
  ])('explains %s', async (condition, word, sentence) => {
    open(createStreamPill, { ...stream, condition, problem: condition === 'failed' ? 'it broke' : null });
    expect(text('.stridelab-badge')).toContain(word);
    await unfold();
    expect(host.textContent).toContain(sentence);
  });

  test('expands to waits and operations, which the kernel reads from the trace only then', async () => {
    open(createStreamPill, stream);
    expect(asked).toEqual([]);
    const fold = button('stream #3');
    await unfold();
    expect(fold?.getAttribute('aria-expanded')).toBe('true');
    expect(document.getElementById(fold?.getAttribute('aria-controls') ?? '')?.hidden).toBe(false);
    expect(asked).toEqual(['operations']);
    expect(host.textContent).toContain(
      'Waits for other streams: 2. Later work runs after operation 12 of stream #1.'
    );
    expect(rows()).toEqual([
      ['9', 'add', 'kernel', '4 KiB', '3.14 µs', 'In [3]'],
      ['8', 'copy', 'copy host to device', '', 'not done', '']
    ]);
  });

  test('queries the trace at most once a second, while it is expanded', () => {
    jest.useFakeTimers();
    open(createStreamPill, stream);
    button('stream #3')?.click();
    for (let i = 0; i < 5; i++) view?.update({ ...stream, submitted: 8 + i }, true);
    expect(asked.length).toBe(1);
    jest.setSystemTime(Date.now() + 1500);
    view?.update({ ...stream, submitted: 20 }, true);
    expect(asked.length).toBe(2);
    button('stream #3')?.click();
    jest.setSystemTime(Date.now() + 1500);
    view?.update({ ...stream, submitted: 21 }, true);
    expect(asked.length).toBe(2);
  });

  test('gives advice if the trace is off', async () => {
    open(createStreamPill, { ...stream, tracing: false, operations: [] });
    await unfold();
    expect(host.textContent).toContain('trace.start() in a cell');
  });

  test('a destroyed stream is not called live, and there is advice for keeping the next one', async () => {
    open(createStreamPill, stream);
    await unfold();
    expect(host.querySelector<HTMLElement>('.stridelab-lifetime')?.hidden).toBe(false);
    view?.update({ ...stream, condition: 'destroyed' }, true);
    expect(host.querySelector<HTMLElement>('.stridelab-lifetime')?.hidden).toBe(true);
    expect(host.textContent).toContain('assign the stream to a variable');
  });

  test('Synchronize waits, reports the result, and cannot be pressed twice meanwhile', async () => {
    open(createStreamPill, stream);
    let finish = (): void => undefined;
    answer = () => new Promise<void>(resolve => (finish = resolve));
    button('Synchronize')?.click();
    button('Synchronize')?.click();
    expect(asked).toEqual(['synchronize']);
    expect(text('[role=status]')).toBe('Waiting for the stream…');
    finish();
    await new Promise(resolve => setTimeout(resolve));
    expect(text('[role=status]')).toBe('All submitted work is done.');
    answer = () => Promise.reject(new Error('The stream was destroyed'));
    button('Synchronize')?.click();
    await new Promise(resolve => setTimeout(resolve));
    expect(text('[role=status][data-kind=error]')).toBe('The stream was destroyed');
  });

  test.each([
    ['a kernel', stream, false, 'No kernel is connected'],
    ['the stream', { ...stream, condition: 'destroyed' }, true, 'The stream was destroyed']
  ] as const)(
    'without %s the button is disabled, and gives the reason when it is pressed',
    (_what, data, connected, why) => {
      open(createStreamPill, data, connected);
      expect(button('Synchronize')?.getAttribute('aria-disabled')).toBe('true');
      button('Synchronize')?.click();
      expect(asked).toEqual([]);
      expect(text('[role=status]')).toContain(why);
    }
  );

  test('says why the latest operations cannot be read', async () => {
    answer = () => Promise.reject(new Error('The kernel has exited'));
    open(createStreamPill, stream);
    await unfold();
    await until(() => host.textContent?.includes('The kernel has exited') === true);
  });

  test('a static picture has no button, sends nothing and still expands', async () => {
    open(createStreamPill, stream, false, false);
    expect(button('Synchronize')).toBeUndefined();
    await unfold();
    expect(rows().length).toBe(2);
    expect(asked).toEqual([]);
  });
});

describe.each([
  ['the card', createDeviceCard, device],
  ['the pill', createStreamPill, stream]
] as const)('%s and unknown data', (_name, create, good) => {
  test('names the version of newer data', () => {
    open(create, { ...good, version: 2 });
    expect(problem()).toContain('version 2, and this page draws version 1');
    view?.update(good, true);
    expect(problem()).toBe('');
  });

  test.each([['text'], [[]], [{}], [{ version: 1 }]])('reports %p as malformed', data => {
    open(create, data);
    expect(problem()).toContain('cannot be read');
  });

  test.each([[null], [undefined]])('reports %p as absent', data => {
    open(create, data);
    expect(problem()).toContain('has not sent');
  });

  test('texts are never markup', () => {
    open(create, { ...good, label: '<img src=x onerror=alert(1)>', name: '<b>x</b>' });
    expect(host.querySelector('img, b')).toBeNull();
  });
});
