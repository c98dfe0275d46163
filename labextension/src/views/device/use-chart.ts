/** Use of a device over the last minutes: a chart, a sentence and a table. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { DEVICE_USE_GAP, type DeviceUseSample } from '../../../../src/pictures/device/schema.ts';
import { element, part, setAttribute, setText, svg, type Part } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { __ } from '../kit/phrases.ts';

/** Coordinates of the drawing, which is scaled to the available width. */
const [WIDTH, HEIGHT] = [600, 100];
/** Minimum time span of the chart, in ms. */
const SHORTEST = 30_000;

type Value = (sample: DeviceUseSample) => number | null;

/** Creates the chart, which is hidden while there are fewer than two samples. */
export function createUseChart(): Part<[samples: readonly DeviceUseSample[]]> {
  const lines = ['used', 'ours', 'busy'].map(name => svg('path', { class: `stridelab-use-${name}` }));
  const frame = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' };
  const picture = svg('svg', frame, ...lines);
  const top = part('span', 'muted');
  const sentence = part('p', 'muted');
  let samples: readonly DeviceUseSample[] = [];
  const ago = (at: number): string => String(Math.round(((samples.at(-1)?.at ?? 0) - at) / 1000));
  const table = createItemTable<DeviceUseSample>('facts', __('Use over time'), ({ at }) => String(at), [
    [__('Seconds ago'), ({ at }) => ago(at), 'number'],
    [__('In use'), ({ used }) => formatBytes(used), 'number'],
    [__('By this process'), ({ ours }) => formatBytes(ours), 'number'],
    [__('Utilization'), ({ busy }) => percent(busy), 'number']
  ]);
  const details = element('details', {}, element('summary', {}, __('As a table')), table);
  const root = part('div', 'use', top, picture, sentence, details);
  const showTable = (): void => table.update(details.open ? samples.toReversed() : []);
  details.addEventListener('toggle', showTable);

  return {
    element: root,
    update(next) {
      samples = next;
      root.hidden = samples.length < 2;
      if (root.hidden) return;
      const most = Math.max(...samples.map(({ used }) => used), 1);
      const values: readonly Value[] = [
        ({ used }) => used / most,
        ({ ours }) => ours / most,
        ({ busy }) => (busy === null ? null : busy / 100)
      ];
      for (const [index, line] of lines.entries())
        setAttribute(line, 'd', pathOf(samples, values[index]!, index < 2));
      const isKnown = samples.some(({ busy }) => busy !== null);
      setText(top, isKnown ? __('%1; dashed: 100 % utilization', formatBytes(most)) : formatBytes(most));
      setText(sentence, sentenceOf(samples));
      showTable();
    }
  };
}

const percent = (busy: number | null): string => (busy === null ? '–' : `${busy} %`);

/** Draws steps from sample to sample, closed to the baseline for an area, with gaps between sampling periods. */
function pathOf(samples: readonly DeviceUseSample[], valueOf: Value, isArea: boolean): string {
  const last = samples.at(-1)!.at;
  const first = Math.min(samples[0]!.at, last - SHORTEST);
  const xOf = (at: number): string => ((WIDTH * (at - first)) / (last - first)).toFixed(1);
  let path = '';
  let isDrawing = false;
  for (const [index, sample] of samples.entries()) {
    const value = valueOf(sample);
    const next = samples[index + 1];
    const end = next === undefined || next.at - sample.at > DEVICE_USE_GAP ? sample.at : next.at;
    const isLast = end === sample.at || valueOf(next!) === null;
    if (value !== null) {
      const [x, y] = [xOf(sample.at), (HEIGHT * (1 - value)).toFixed(1)];
      path += isDrawing ? `V${y}` : isArea ? `M${x} ${HEIGHT}V${y}` : `M${x} ${y}`;
      path += `H${xOf(end)}`;
      if (isLast && isArea) path += `V${HEIGHT}`;
    }
    isDrawing = value !== null && !isLast;
  }
  return path;
}

function sentenceOf(samples: readonly DeviceUseSample[]): string {
  const seconds = Math.round((samples.at(-1)!.at - samples[0]!.at) / 1000);
  const now = samples.at(-1)!;
  const range = (values: readonly number[]): readonly [number, number] => [
    Math.min(...values),
    Math.max(...values)
  ];
  const memory = __(
    'Last %1 s: memory in use %2 to %3, now %4.',
    seconds,
    ...(range(samples.map(({ used }) => used)).map(formatBytes) as [string, string]),
    formatBytes(now.used)
  );
  const busy = samples.map(sample => sample.busy).filter(value => value !== null);
  if (busy.length === 0) return memory;
  return `${memory} ${__('Utilization %1 to %2 %, now %3.', ...range(busy), percent(now.busy))}`;
}
