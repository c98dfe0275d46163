/** The kernel halves of the device card and the stream pill. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { DeviceCard } from '../../../kernel/widgets/pictures/device/device-card.ts';
import { DeviceUse } from '../../../kernel/widgets/pictures/device/device-use.ts';
import { Utilization } from '../../../kernel/widgets/pictures/device/utilization.ts';
import type { DevicePicture } from '../../../src/pictures/device/schema.ts';
import { StreamPill } from '../../../kernel/widgets/pictures/stream/stream-pill.ts';
import { LiveWidget } from '../../../kernel/widgets/pictures/kit/live-widget.ts';
import { MOST_UNWATCHED, UNWATCHED_PATIENCE } from '../../../kernel/widgets/pictures/kit/unwatched.ts';
import { openPicture } from '../../../kernel/widgets/pictures/open.ts';
import { Widget } from '../../../kernel/widgets/model/widget.ts';
import { StreamTimeline } from '../../../kernel/widgets/pictures/timeline/stream-timeline.ts';
import { DISPLAY_METHOD, Stream, trace, zeros } from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';
import type { JsonObject } from '../../../kernel/protocol/messages.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { pass, until } from '../../setup/until.ts';
import { Page, update } from './page.ts';

const page = new Page();
const sim = toDevice('sim:0');
const opened: LiveWidget<object>[] = [];
const open = <Kind extends LiveWidget<object>>(widget: Kind): Kind => {
  opened.push(widget);
  return widget;
};
const look = (widget: LiveWidget<object>, views = 1): void => page.change(widget, { _view_count: views });
const pictures = (widget: LiveWidget<object>): unknown[] =>
  page
    .data(widget)
    .filter(({ method }) => method === 'update')
    .map(({ state }) => (state as { picture?: unknown }).picture)
    .filter(picture => picture !== undefined);

async function ask(widget: LiveWidget<object>, method: string): Promise<unknown> {
  page.custom(widget, { kind: 'request', id: 1, method });
  let answer: JsonObject | undefined;
  await until(() => {
    answer = page
      .data(widget)
      .map(({ content }) => content as JsonObject | undefined)
      .find(content => content?.['kind'] === 'response');
    return answer !== undefined;
  });
  return answer;
}

afterEach(() => {
  for (const widget of opened.splice(0)) widget.close();
  trace.stop();
});

test('a card queries nothing without a view, and sends nothing if nothing changed', async () => {
  const card = open(new DeviceCard(sim));
  page.take(card);
  using array = zeros(1000, { device: sim });
  await pass(60, 'nothing must be sent meanwhile');
  expect(pictures(card)).toEqual([]);
  look(card);
  const [picture] = pictures(card);
  expect(picture).toMatchObject({ memory: { ours: expect.any(Number) as unknown } });
  expect(array.freed).toBe(false);
  expect(await ask(card, 'refresh')).toEqual({ kind: 'response', id: 1 });
  expect(pictures(card)).toEqual([]);
  expect(await ask(card, 'bogus')).toMatchObject({ error: expect.stringContaining('bogus') as unknown });
});

test('a visible card follows the memory, and stops with its last view', async () => {
  const card = open(new DeviceCard(sim));
  look(card);
  page.take(card);
  using array = zeros(1 << 20, { dtype: 'uint8', device: sim });
  const seen: unknown[] = [];
  await until(() => seen.push(...pictures(card)) > 0);
  expect(seen).toHaveLength(1);
  const { use } = seen[0] as DevicePicture;
  expect(use!.length).toBeGreaterThanOrEqual(2);
  expect(use!.at(-1)!.ours - use![0]!.ours).toBe(1 << 20);
  expect(use!.at(-1)!.busy).toBeNull();
  look(card, 0);
  array.dispose();
  await pass(1200, 'nothing must be sent meanwhile');
  expect(pictures(card)).toEqual([]);
});

test('the use of a device is kept in a bounded number of samples, more where it changed', () => {
  const use = new DeviceUse();
  const memory = { total: 100, free: 60, ours: 10 };
  use.add(null, 50, 0);
  expect(use.samples).toEqual([]);
  use.add(memory, null, 1000);
  use.add(memory, null, 2000);
  expect(use.samples).toEqual([{ at: 1000, used: 40, ours: 10, busy: null }]);
  use.add(memory, 3, 3000);
  use.add(memory, 3, 7999);
  use.add(memory, 3, 8000);
  expect(use.samples.map(({ at }) => at)).toEqual([1000, 3000, 8000]);
  for (let at = 0; at < 500; at += 1) use.add({ ...memory, ours: at }, null, 10_000 + at);
  expect(use.samples).toHaveLength(180);
  expect(use.samples.at(-1)).toMatchObject({ ours: 499 });
});

describe('utilization, as reported by nvidia-smi', () => {
  const folder = temporaryFolder();
  const command = join(folder, 'nvidia-smi');
  const smi = (script: string): Utilization => {
    writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return new Utilization('GPU-1', command);
  };

  test('is known from its first line on, until the last view closes', async () => {
    const utilization = smi(
      `echo "$@" > ${folder}/asked; echo $$ > ${folder}/pid; echo 37; exec tail -f /dev/null`
    );
    expect(utilization.percent).toBeNull();
    utilization.start();
    utilization.start();
    await until(() => utilization.percent === 37);
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain('--id=GPU-1 --query-gpu=utilization.gpu');
    utilization.stop();
    expect(utilization.percent).toBeNull();
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await until(() => !existsSync(`/proc/${pid}`));
  });

  test('is unknown if it is not a number, as for a slice of a GPU, after nvidia-smi ended, and without it', async () => {
    const go = join(folder, 'go');
    for (const then of ['echo "[N/A]"; exec tail -f /dev/null', 'exit 1']) {
      rmSync(go, { force: true });
      const utilization = smi(`echo 5; until [ -e ${go} ]; do sleep 0.01; done; ${then}`);
      utilization.start();
      await until(() => utilization.percent === 5);
      writeFileSync(go, '');
      await until(() => utilization.percent === null);
      utilization.stop();
    }
    const none = new Utilization('GPU-1', join(folder, 'absent'));
    none.start();
    await new Promise(resolve => setImmediate(resolve));
    expect(none.percent).toBeNull();
    none.stop();
  });
});

describe('pictures that only pages hold', () => {
  const openOf = (model: (typeof page.sent)[number]): boolean =>
    !page.sent.some(({ type, id }) => type === 'comm_close' && id === model.id);
  const known = (): typeof page.sent => page.sent.filter(({ target }) => target === 'jupyter.widget');
  const show = (model: (typeof page.sent)[number], views: number): void =>
    page.deliver('comm_msg', { comm_id: model.id, data: update({ _view_count: views }) });

  test('those that no page shows are bounded, the oldest close first; there is time for the first view', () => {
    page.sent.length = 0;
    let now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const inspect = (count: number): void => {
      for (let turn = 0; turn < count; turn++) openPicture(sim);
    };
    try {
      inspect(MOST_UNWATCHED + 10);
      const first = known();
      show(first[0]!, 1);
      // Regardless of how many one cell opens: the page has not drawn them yet.
      expect(known().filter(openOf)).toHaveLength(MOST_UNWATCHED + 10);
      now += UNWATCHED_PATIENCE;
      inspect(1);
      const left = known().filter(openOf);
      expect(left).toHaveLength(MOST_UNWATCHED + 1);
      // The visible one stays, and becomes the latest of the others once it is hidden.
      expect([left.includes(first[0]!), left.includes(first[1]!), left.includes(first.at(-1)!)]).toEqual([
        true,
        false,
        true
      ]);
      show(first[0]!, 0);
      for (let turn = 0; turn < 3 * MOST_UNWATCHED; turn++) {
        now += UNWATCHED_PATIENCE;
        inspect(1);
        expect(known().filter(openOf)).toHaveLength(MOST_UNWATCHED);
      }
    } finally {
      jest.restoreAllMocks();
      Widget.close_all();
    }
  });
});

test('an update that is due soon is not delayed by one that is due later', async () => {
  class Probe extends LiveWidget<{ readonly count: number }> {
    constructor() {
      const presentation = { name: 'Probe', label: () => 'probe', render: () => ({ html: '', text: '' }) };
      super(presentation, { count: 0 });
    }
    due(period?: number): void {
      this.schedule(period);
    }
    protected override describe() {
      return { count: this.picture.count + 1 };
    }
    protected override answer(): undefined {}
  }
  const probe = open(new Probe());
  look(probe);
  probe.due();
  await pass(100, 'one period passes');
  probe.due(5000);
  probe.due();
  probe.due(5000);
  await pass(150, 'no further picture must be sent meanwhile');
  expect(probe.picture.count).toBe(2);
});

test('a trace that is started and stopped in a loop is sent at most twenty times a second', async () => {
  const timeline = open(new StreamTimeline(trace));
  look(timeline);
  await pass(100, 'one period passes');
  page.take(timeline);
  const began = performance.now();
  while (performance.now() - began < 500) {
    trace.start().stop();
    await pass(2, 'changes are faster than pictures may be sent');
  }
  const seconds = (performance.now() - began) / 1000;
  const pushes = page.data(timeline).filter(({ method }) => method === 'custom');
  expect(pushes.length).toBeLessThanOrEqual(20 * seconds + 2);
});

test('a pill follows its stream to the end, and does not keep it alive', async () => {
  const stream = new Stream({ device: sim });
  const pill = open(new StreamPill(stream));
  look(pill);
  page.take(pill);
  zeros(4, { stream }).dispose();
  const { sequence } = stream.native;
  await until(() => pill.picture.condition === 'idle' && pill.picture.submitted === sequence);
  expect(pictures(pill).at(-1)).toEqual(pill.picture);
  stream.dispose();
  await until(() => pill.picture.condition === 'destroyed');
  expect(pictures(pill).at(-1)).toEqual(pill.picture);
  expect(await ask(pill, 'synchronize')).toMatchObject({
    error: expect.stringContaining('destroyed') as unknown
  });
});

test('a pill reads the trace on request', async () => {
  using stream = new Stream({ device: sim });
  using _ = trace.start();
  const pill = open(new StreamPill(stream));
  zeros(4, { stream }).dispose();
  look(pill);
  expect(pill.picture.operations).toEqual([]);
  await ask(pill, 'operations');
  expect(pill.picture.operations).toMatchObject([{ kind: 'fill' }]);
  expect(await ask(pill, 'synchronize')).toEqual({ kind: 'response', id: 1 });
});

test.each([
  ['DeviceCard', () => new DeviceCard(sim)],
  ['StreamPill', () => new StreamPill(Stream.legacyDefault(sim))]
] as const)('%s names its classes, and its output contains the static picture too', (name, make) => {
  const widget = open(make() as LiveWidget<object>);
  const state = page.data(widget)[0]?.['state'];
  expect(state).toMatchObject({ _model_name: `${name}Model`, _view_name: `${name}View` });
  expect(Object.keys(widget[DISPLAY_METHOD]()).toSorted()).toEqual([
    'application/vnd.jupyter.widget-view+json',
    'application/vnd.stridelab.picture+json',
    'text/html',
    'text/plain'
  ]);
  expect(JSON.stringify(state).length).toBeLessThan(64 * 1024);
});

test('a picture opens a tab and is placed when its handle says so', () => {
  using w = zeros([2, 3], { device: sim });
  page.variables = { w };
  const picture = open(openPicture(w));
  page.take(picture);
  picture.openTab('values');
  picture.openTab('values');
  picture.place('right');
  const [update, placed] = page.data(picture);
  expect(update).toMatchObject({ method: 'update', state: { tab: { name: 'values', turn: 2 } } });
  expect(placed).toMatchObject({ method: 'custom', content: { kind: 'place', where: 'right', label: 'w' } });
  picture.close();
  picture.openTab('bytes');
  picture.place('below');
  expect(page.data(picture).map(({ method }) => method)).toEqual([undefined]);
  page.variables = {};
});
