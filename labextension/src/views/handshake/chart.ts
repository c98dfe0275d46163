/** The sequence chart: time runs down, arrows are calls, bars on the streams are device work. Drawn as SVG. */

import type { Fact } from '../../../../src/recording/exchanges/facts.ts';
import { LANE_ORDER, type Lane } from '../../../../src/pictures/handshake/schema.ts';
import { element, setAttribute, svg, uniqueId, type Part } from '../kit/dom.ts';
import type { Shown, ShownStep } from './shown.ts';
import { __ } from '../kit/phrases.ts';

/** Sizes in pixels: columns of the numbers and of the times, heads, rows, half a bar, a letter of a title. */
const NUMBERS = 32;
const TIMES = 58;
/** If lifelines are closer than this, times are shown only in the table. */
const NEAR = 110;
const HEAD = 46;
const LINE = 14;
const ROW = 33;
const BAR = 7;
const LETTER = 6.9;
const USUAL_WIDTH = 860;
/** Matches handshake.css: a narrower container scrolls the chart. */
const LEAST_WIDTH = 350;

const path = (d: string, kind: string): SVGElement => svg('path', { d, class: kind });

/** Creates text whose alignment and colour follow from `kind`; backticks enclose code. */
function text(content: string, x: number, y: number, kind: string): SVGElement {
  const code = /^`.*`$/.test(content);
  return svg('text', { x, y, class: code ? `${kind} code` : kind }, code ? content.slice(1, -1) : content);
}

export function createChart(signal: AbortSignal, pick: (step: number) => void): Part<[shown: Shown]> {
  const picture = svg('svg', { class: 'stridelab-chart', role: 'img' });
  const box = element('div', {}, picture);
  const hatch = uniqueId('hatch');
  let shown: Shown | undefined;
  let width = USUAL_WIDTH;
  let drawn = '';

  const draw = (): void => {
    if (shown === undefined) return;
    const { steps, step: now, exchange } = shown;
    const key = JSON.stringify([steps, exchange, width]);
    if (key !== drawn) {
      drawn = key;
      const places = placesOf(shown, width);
      const height = places.head + steps.length * ROW + 18;
      setAttribute(picture, 'viewBox', `0 0 ${width} ${height}`);
      setAttribute(picture, 'height', String(height));
      setAttribute(picture, 'aria-label', __('%1 steps; the tab Steps has them as a table', steps.length));
      picture.replaceChildren(...drawing(shown, places, width, height, hatch));
    }
    for (const part of picture.querySelectorAll<SVGElement>('[data-step]')) {
      const step = Number(part.dataset['step']);
      const state = now === null || step < now ? null : step === now ? 'now' : 'later';
      setAttribute(part, 'data-state', state);
    }
  };
  picture.addEventListener('click', event => {
    const row = (event.target as Element).closest<SVGElement>('[data-step]');
    if (row) pick(Number(row.dataset['step']));
  });
  const sizes = new ResizeObserver(() => {
    width = Math.max(box.clientWidth || width, LEAST_WIDTH);
    draw();
  });
  sizes.observe(box);
  signal.addEventListener('abort', () => sizes.disconnect());
  return {
    element: box,
    update(next) {
      shown = next;
      draw();
    }
  };
}

interface Places {
  readonly lanes: readonly Lane[];
  readonly room: number;
  readonly hasTimes: boolean;
  readonly head: number;
  titleOf(lane: Lane): readonly string[];
}

function placesOf({ picture, steps, exchange }: Shown, width: number): Places {
  const lanes = LANE_ORDER.filter(
    lane => lane !== 'host' || steps.some(step => step.from === lane || step.to === lane)
  );
  const all = width - NUMBERS;
  const hasTimes = exchange !== undefined && all / lanes.length >= NEAR;
  const room = (all - (hasTimes ? TIMES : 0)) / lanes.length;
  const titleOf = (lane: Lane): readonly string[] => {
    const title = __(picture.lanes[lane]);
    return title.length * LETTER > room - 10 ? title.split(' ') : [title];
  };
  const isTall = lanes.some(lane => titleOf(lane).length > 1);
  return { lanes, room, hasTimes, head: HEAD + (isTall ? LINE : 0), titleOf };
}

function drawing(
  { steps, exchange, hazard }: Shown,
  { lanes, room, hasTimes, head, titleOf }: Places,
  width: number,
  height: number,
  hatch: string
): SVGElement[] {
  const xOf = (lane: Lane): number => NUMBERS + room * (lanes.indexOf(lane) + 0.5);
  const yOf = (step: number): number => head + (step + 0.72) * ROW;
  const letters = Math.floor((room - 16) / 7.1);
  const heads = lanes.flatMap(lane => {
    const x = xOf(lane);
    const name = nameOf(lane, steps) ?? (lane === 'host' ? '' : (exchange?.[lane as 'producer'] ?? ''));
    return [
      svg('rect', { x: x - room / 2 + 4, y: 2, width: room - 8, height: head - 9, rx: 4, class: 'back' }),
      ...titleOf(lane).map((line, at) => text(line, x, (name === '' ? 24 : 17) + at * LINE, 'middle title')),
      text(
        name.length > letters ? `${name.slice(0, letters - 1)}…` : name,
        x,
        head - 15,
        'middle muted code'
      ),
      lane.endsWith('stream')
        ? svg('rect', { x: x - BAR, y: head - 7, width: 2 * BAR, height: height - head + 3, class: 'back' })
        : path(`M${x} ${head - 7}V${height - 4}`, 'life')
    ];
  });

  const use = steps.findIndex(({ fact }) => fact.kind === 'use' && fact.side === 'consumer');
  const last = yOf(use < 0 ? steps.length - 1 : use);
  const early = hazard ? ROW * 0.62 : use < 0 ? 0 : -8;
  const endOf = (fact: Fact, top: number): number =>
    fact.kind !== 'work' ? top + ROW * 0.95 : fact.pending ? last + early : top + 12;
  const work = steps.map((step, index) => {
    const { fact, to, mark } = step;
    const [x, y] = [xOf(to), yOf(index)];
    const parts: SVGElement[] = [];
    if (mark === 'work' && 'access' in fact) {
      const box = { x: x - BAR, y: y - 4, width: 2 * BAR, height: endOf(fact, y - 4) - y + 4, rx: 2 };
      parts.push(svg('rect', { ...box, class: `bar ${fact.access}` }));
    }
    if (mark === 'wait' && to === 'consumer-stream' && use > index)
      parts.push(path(`M${x} ${y}V${last - 8}`, 'waiting'));
    return svg('g', { 'data-step': index }, ...parts);
  });
  const rows = steps.map((step, index) => {
    const y = yOf(index);
    return svg(
      'g',
      { 'data-step': index, class: step.mark },
      svg('rect', { x: 0, y: y - ROW * 0.66, width, height: ROW, class: 'row' }),
      text(String(index + 1), NUMBERS - 12, y + 3, 'end muted'),
      ...(hasTimes ? [text(step.time, width - 6, y + 3, 'end muted')] : []),
      ...markOf(step, xOf(step.from), xOf(step.to), y)
    );
  });
  const stripes = {
    id: hatch,
    width: 7,
    height: 7,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)'
  };
  const [left, right] = [xOf('producer-stream') - BAR - 4, xOf('consumer-stream') + BAR + 4];
  const first = yOf(0) - 8;
  return [
    svg('pattern', stripes, path('M0 0V7', 'hatch')),
    ...heads,
    ...(hazard
      ? [
          svg('rect', {
            x: left,
            y: first,
            width: right - left,
            height: last + early + 4 - first,
            rx: 4,
            class: 'hazard',
            fill: `url(#${hatch})`
          })
        ]
      : []),
    ...work,
    ...rows,
    ...(hazard ? [text(__('⚠ hazard window'), (left + right) / 2, last + 4, 'middle halo danger')] : [])
  ];
}

/** Returns the stream of a lifeline; undefined if it is not a stream. */
function nameOf(lane: Lane, steps: readonly ShownStep[]): string | undefined {
  if (!lane.endsWith('stream')) return undefined;
  const found =
    steps.find(({ to, fact }) => to === lane && 'stream' in fact) ??
    steps.find(({ fact }) => fact.kind === (lane === 'consumer-stream' ? 'view' : ''));
  return found !== undefined && 'stream' in found.fact ? found.fact.stream : '';
}

/** Signs beside a lifeline, around (0, 0). */
const SIGNS: Readonly<Record<string, string>> = {
  event: 'm0-7l7 7l-7 7l-7-7z',
  wait: 'm-10-3h20m-20 6h20',
  failed: 'm-6-6l12 12m0-12l-12 12'
};
const DOT = 'm-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0';

function markOf({ mark, from, to, label }: ShownStep, start: number, end: number, y: number): SVGElement[] {
  const words = __(...label);
  const sign = path(`M${end} ${y}${SIGNS[mark] ?? DOT}`, 'sign');
  if (from === to) {
    // Near the edge, labels go towards the other lifelines.
    const left = to === 'consumer' || to === 'host';
    return [sign, text(words, start + (left ? -14 : 14), y + 4, left ? 'end halo' : 'halo')];
  }
  const way = Math.sign(end - start);
  const gap = (lane: Lane): number => way * (lane.endsWith('stream') ? BAR + 2 : 2);
  const tip = end - gap(to);
  return [
    path(`M${start + gap(from)} ${y}H${tip}`, 'line'),
    mark === 'wait' ? sign : path(`M${tip} ${y}l${-way * 8}-4v8z`, 'tip'),
    text(words, (start + end) / 2, y - 6, 'middle halo')
  ];
}
