/** The view of the timeline. */

import { jest } from '@jest/globals';
import { createStreamTimeline } from '../../../labextension/src/views/timeline/timeline.ts';
import { DEFAULT_VIEW_SETTINGS, useViewSettings } from '../../../labextension/src/views/kit/settings.ts';
import type { Channel, Message } from '../../../labextension/src/views/kit/view.ts';
import { until } from '../../setup/until.ts';
import { FLOW, batchOf, facts, host, lane, pictureOf, type Line } from './timeline-records.ts';

describe('the view', () => {
  let root: HTMLElement;
  const text = (selector: string): string => root.querySelector(selector)?.textContent ?? `no ${selector}`;
  const tab = (name: string): HTMLElement =>
    [...root.querySelectorAll<HTMLElement>('[role=tab]')].find(found => found.textContent?.includes(name))!;
  const press = (key: string, more: KeyboardEventInit = {}): boolean =>
    root
      .querySelector('.stridelab-trace-stage')!
      .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  const frame = (): Promise<void> =>
    new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

  beforeEach(() => {
    root = document.createElement('div');
    document.body.append(root);
    jest.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  });
  afterEach(() => {
    root.remove();
    jest.restoreAllMocks();
  });

  test('a saved picture is marked as such, with its part of the trace and the disabled controls', async () => {
    const view = createStreamTimeline(root, {});
    view.update(pictureOf(FLOW, { added: 5000, dropped: 12 }), false);
    await frame();
    expect(text('.stridelab-header')).toContain('5,000 records, 2 streams');
    expect(text('.stridelab-lifetime')).toContain('snapshot');
    expect(text('.stridelab-empty')).toContain('Showing 7');
    expect(text('.stridelab-empty')).toContain('The oldest 12 were dropped');
    const follow = [...root.querySelectorAll('button')].find(({ textContent }) => textContent === 'Follow')!;
    expect([follow.getAttribute('aria-disabled'), follow.title]).toEqual([
      'true',
      'No kernel is connected: run the cell again to make this picture live.'
    ]);
    view.dispose();
  });

  test('gives advice if nothing is recorded', async () => {
    const view = createStreamTimeline(root, {});
    view.update(pictureOf([]), false);
    await frame();
    expect(text('.stridelab-empty')).toContain('call trace.start()');
  });

  test.each([
    ['nothing', null],
    ['text', 'a'],
    ['columns that are too short', { ...pictureOf(FLOW), columns: 'AAAA' }],
    ['columns that are no base64', { ...pictureOf(FLOW), columns: '###' }],
    ['an unknown kind', pictureOf([{ facts: { ...facts('fill'), kind: 99 } }])],
    ['a lane that is none', pictureOf([{ facts: facts('fill'), start: 1, lane: 9 }])],
    ['no facts', { ...pictureOf(FLOW), batch: { count: 0, lanes: [] } }],
    ['another version', { ...pictureOf(FLOW), version: 99 }]
  ])('%s is a sentence, not half a picture', (_, data) => {
    const view = createStreamTimeline(root, {});
    view.update(data, false);
    expect(root.querySelector<HTMLElement>('.stridelab-problem')!.hidden).toBe(false);
    expect(text('.stridelab-problem').length).toBeGreaterThan(20);
    view.update(pictureOf(FLOW), false);
    expect(root.querySelector<HTMLElement>('.stridelab-problem')!.hidden).toBe(true);
  });

  test('the list has the contents of the canvas; filter and kinds narrow it', async () => {
    const view = createStreamTimeline(root, {});
    view.update(pictureOf(FLOW), false);
    tab('List').click();
    const rows = (): string[] =>
      [...root.querySelectorAll<HTMLElement>('tbody tr')]
        .filter(row => !row.hidden)
        .map(row => row.textContent);
    await until(() => rows().length === 7);
    expect(rows()[0]).toBe('0fillfillstream #110 µs5 µs1000 BIn [1]');
    expect(rows()[4]).toBe('4allocationmemorythread 15 µs500 ns64 B');
    expect(rows()[6]).toContain('–');
    const search = root.querySelector('input')!;
    search.value = 'MIX';
    search.dispatchEvent(new Event('input'));
    await until(() => rows().length === 2);
    search.value = '';
    search.dispatchEvent(new Event('input'));
    [...root.querySelectorAll('button')].find(found => found.textContent.startsWith('kernel'))!.click();
    await until(() => rows().length === 5);
    view.dispose();
  });

  test('the summary sums up each operation that passes the filter', async () => {
    const view = createStreamTimeline(root, {});
    const again: Line = { ...FLOW[0]!, number: 90, start: 200, duration: 20 };
    view.update(pictureOf([...FLOW, again], { added: 5000 }), false);
    tab('Summary').click();
    const panel = '[role=tabpanel]:not([hidden])';
    const rows = (): string[] => [...root.querySelectorAll(`${panel} tbody tr`)].map(row => row.textContent);
    await until(() => rows().length > 0);
    expect(rows()[0]).toBe('fillfill225 µs12.5 µs2000 B0.08 GB/s');
    expect(rows().some(row => row.startsWith('allocation'))).toBe(false);
    expect(text(`${panel} caption`)).toBe(
      `Device time by operation, for the ${rows().length + 1} operations on this page`
    );
    const search = root.querySelector('input')!;
    search.value = 'mix';
    search.dispatchEvent(new Event('input'));
    await until(() => rows().length < 3 && !rows()[0]!.startsWith('fill'));
    view.dispose();
  });

  test('the overview has a slider for the visible window, and keys move it', async () => {
    const view = createStreamTimeline(root, {});
    view.update(pictureOf(FLOW), false);
    await frame();
    const slider = root.querySelector<HTMLElement>('[role=slider]')!;
    const shown = (): string =>
      `${slider.getAttribute('aria-valuenow')} ${slider.style.left} ${slider.style.width}`;
    const key = (name: string): boolean =>
      slider.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
    expect([slider.getAttribute('aria-label'), shown()]).toEqual([
      'Visible part of the record',
      '50 0% 100%'
    ]);
    expect(key('+')).toBe(false);
    const zoomed = shown();
    expect(parseFloat(slider.style.width)).toBeCloseTo(66.7, 1);
    key('Home');
    expect([slider.style.left, slider.getAttribute('aria-valuetext')]).toEqual([
      '0%',
      expect.stringMatching(/^-?[\d.]+ µs to [\d.]+ µs$/)
    ]);
    key('End');
    expect(parseFloat(slider.style.left)).toBeCloseTo(33.3, 1);
    key('PageUp');
    expect(slider.style.left).toBe('0%');
    key('0');
    expect(shown()).toBe('50 0% 100%');
    // Keys that the stage handles arrive here too.
    press('+');
    expect(shown()).toBe(zoomed);
    for (const other of ['Tab', 'a', 'Enter']) expect(key(other)).toBe(true);
    view.dispose();
  });

  test('keys select, move on, show details, measure and leave', async () => {
    const view = createStreamTimeline(root, {});
    view.update(pictureOf(FLOW), false);
    await frame();
    const shownFacts = (): HTMLElement[] =>
      [...root.querySelectorAll<HTMLElement>('.stridelab-trace-facts')].filter(({ hidden }) => !hidden);
    // With no selection, Tab belongs to the page.
    expect(press('Tab')).toBe(true);
    expect(press('Enter')).toBe(false);
    await until(() => shownFacts().length === 1);
    expect(shownFacts()[0]!.textContent).toContain('mix');
    expect(press('Tab')).toBe(false);
    await until(() => shownFacts()[0]!.textContent.includes('In [1]'));
    for (const fact of ['stream #1, cuda:0', '5 µs', '9 µs', '0.2 GB/s', '1000 B'])
      expect(shownFacts()[0]!.textContent).toContain(fact);
    press('Enter');
    expect(document.activeElement).toBe(shownFacts()[0]);
    press('Escape');
    press('m');
    await until(() => shownFacts().some(({ textContent }) => textContent.startsWith('Measured')));
    const measured = shownFacts().find(({ textContent }) => textContent.startsWith('Measured'))!.textContent;
    expect(measured).toContain('stream #2, cuda:0, busy10 µs');
    expect(measured).toContain('Overlap3 µs');
    press('Escape');
    await until(() => shownFacts().length === 0);
    expect(press('Escape')).toBe(true);
    expect(press('ArrowRight', { ctrlKey: true })).toBe(true);
    view.dispose();
  });

  test('the selection stays on its row when the records of the kernel replace the saved ones', async () => {
    const answer = Promise.withResolvers<Message>();
    const channel: Channel = { request: () => answer.promise, onPush: () => () => undefined };
    const view = createStreamTimeline(root, { channel });
    const saved = FLOW.map((line, index) => ({ ...line, number: index + 1 }));
    view.update(pictureOf(saved), true);
    const where = (): string =>
      root.querySelector('.stridelab-trace-tooltip:not([hidden])')?.textContent ?? '';
    press('Enter');
    await until(() => where() !== '');
    press('ArrowDown');
    expect(where()).toMatch(/^fill.*stream #1/);
    // The kernel has one more record, lists the lanes in another order, and answers between two frames.
    const { batch, bytes } = batchOf(
      [{ facts: facts('free'), number: 0 } as Line, ...saved].map(line =>
        line.lane === undefined ? line : { ...line, lane: 3 - line.lane }
      ),
      [host, lane(2), lane(1)]
    );
    const content = { epoch: 1, recording: false, added: 8, dropped: 0, batch, next: 8, more: false };
    answer.resolve({ content, buffers: [new DataView(bytes)] });
    await answer.promise;
    await Promise.resolve();
    press('ArrowDown');
    expect(where()).toMatch(/^fill.*10 µs/);
    press('ArrowDown');
    expect(where()).toMatch(/^saxpy.*stream #2/);
    view.dispose();
  });

  test('records that a page dropped are read again, with a key and with a button, as far as the kernel still has them', async () => {
    const asked: unknown[] = [];
    let dropped = 0;
    const line = (number: number): Line => ({
      facts: facts('fill'),
      start: number,
      submitted: number,
      lane: 1,
      number
    });
    const channel: Channel = {
      request: (method, parameters) => {
        asked.push([method, parameters]);
        const [from, most] = [Number(parameters?.['from']), Number(parameters?.['most'] ?? 20)];
        const lines = Array.from({ length: Math.min(most, 20 - from) }, (_, index) => line(from + index));
        const { batch, bytes } = batchOf(lines);
        const progress = { epoch: 1, recording: false, added: 20, dropped };
        const content = { ...progress, batch, next: 20, more: false };
        return Promise.resolve({ content, buffers: [new DataView(bytes)] });
      },
      onPush: () => () => undefined
    };
    useViewSettings({ ...DEFAULT_VIEW_SETTINGS, timelineLength: 8 });
    try {
      const view = createStreamTimeline(root, { channel });
      view.update(pictureOf([]), true);
      const more = [...root.querySelectorAll('button')].find(found => found.textContent === 'Load older')!;
      expect(more.hidden).toBe(true);
      await until(() => !more.hidden);
      expect(text('.stridelab-empty')).toContain('columns show earlier utilization');
      for (let nearer = 0; nearer < 5; nearer++) press('+');
      press('Home');
      press('Enter');
      await until(() => asked.length === 2);
      await frame();
      press('0');
      more.click();
      await frame();
      press('m');
      await until(() => root.textContent.includes('unknown for records that this page does not keep'));
      dropped = 7;
      more.click();
      await frame();
      more.click();
      await frame();
      expect(asked.slice(1)).toEqual([0, 2, 4, 7].map(from => ['records', { from, most: 2 }]));
      dropped = 20;
      more.click();
      await frame();
      more.click();
      await frame();
      expect(asked).toHaveLength(6);
      expect(text('.stridelab-timeline')).toContain('The kernel has no older records');
      view.update(pictureOf([]), false);
      await frame();
      expect(more.hidden).toBe(true);
      view.dispose();
    } finally {
      useViewSettings(DEFAULT_VIEW_SETTINGS);
    }
  });

  test('a kernel sends the rest once, then new records; another start begins again', async () => {
    let listener: (message: Message) => void = () => undefined;
    const asked: unknown[] = [];
    const message = (lines: readonly Line[], more: object = {}): Message => {
      const { batch, bytes } = batchOf(lines);
      const content = { epoch: 1, recording: true, added: 8, dropped: 0, batch, ...more };
      return { content, buffers: [new DataView(bytes)] };
    };
    const channel: Channel = {
      request: (method, parameters) => {
        asked.push([method, parameters]);
        const from = Number(parameters?.['from']);
        return Promise.resolve(
          message(
            FLOW.slice(from, from + 4).map((line, index) => ({ ...line, number: from + index })),
            { next: from + 4, more: from === 0 }
          )
        );
      },
      onPush: take => {
        listener = take;
        return () => (listener = () => undefined);
      }
    };
    const view = createStreamTimeline(root, { channel });
    view.update(pictureOf(FLOW.slice(0, 2), { added: 7 }), true);
    await until(() => asked.length === 2);
    await frame();
    expect(asked).toEqual([
      ['records', { from: 0 }],
      ['records', { from: 4 }]
    ]);
    expect(text('.stridelab-lifetime')).toContain('recording');
    expect(root.querySelector<HTMLElement>('.stridelab-empty')!.hidden).toBe(true);
    listener(message([{ facts: facts('graph'), start: 40, lane: 1, number: 7 }]));
    await frame();
    const count = (name: string): string =>
      [...root.querySelectorAll<HTMLElement>('.stridelab-trace-legend button')].find(
        ({ hidden, textContent }) => !hidden && textContent.startsWith(name)
      )?.textContent ?? '';
    expect([count('graph'), count('kernel')]).toEqual(['graph 1', 'kernel 2']);
    listener(
      message([{ facts: facts('graph'), start: 1, lane: 1 }], { epoch: 2, added: 1, recording: false })
    );
    await frame();
    expect([count('graph'), count('kernel')]).toEqual(['graph 1', '']);
    expect(text('.stridelab-lifetime')).toContain('not recording');
    const record = [...root.querySelectorAll<HTMLElement>('.stridelab-actions button')].find(
      ({ textContent }) => textContent === 'Start recording'
    )!;
    record.click();
    expect(asked.at(-1)).toEqual(['start', undefined]);
    view.update(pictureOf(FLOW), false);
    await frame();
    expect(record.hidden).toBe(true);
    expect(text('.stridelab-lifetime')).toContain('snapshot');
    // The kernel is reachable again: its messages in between were lost.
    expect([count('graph'), count('kernel')]).toEqual(['graph 1', '']);
    view.update(pictureOf(FLOW), true);
    await until(() => asked.length === 5);
    expect(asked.slice(3)).toEqual([
      ['records', { from: 0 }],
      ['records', { from: 4 }]
    ]);
    view.update(pictureOf(FLOW), true);
    expect(asked).toHaveLength(5);
    view.dispose();
  });
});
