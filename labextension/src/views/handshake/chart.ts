/** The sequence chart: time runs down, arrows are calls, bars on the streams are work of the device. Drawn as SVG. */

import { isHazard } from '../../../../src/description/handshake/hazard.ts';
import type { Fact, Lane } from '../../../../src/description/handshake/schema.ts';
import type { Step } from '../../../../src/description/handshake/steps.ts';
import { element, setAttribute, uniqueId } from '../dom.ts';
import type { Phrases } from '../phrases.ts';

/** A step with the fact behind it. */
export interface ChartStep extends Step {
  readonly fact: Fact;
}

export interface ChartContent {
  readonly steps: readonly ChartStep[];
  /** Under the names of the lifelines. */
  readonly names: Readonly<Record<Lane, string>>;
  /** Microseconds since the exchange began, by step; empty for a lesson. */
  readonly times: readonly string[];
}

export interface Chart {
  readonly element: HTMLElement;
  update(content: ChartContent): void;
  /** Fades the steps after this one; null shows all. */
  select(step: number | null): void;
  dispose(): void;
}

const LANES: readonly Lane[] = ['producer', 'producer-stream', 'consumer-stream', 'consumer', 'host'];
const NUMBERS = 34;
const TIMES = 62;
const HEAD = 46;
const ROW = 33;
const BAR = 7;

type Attributes = Readonly<Record<string, string | number>>;

function svg(tag: string, attributes: Attributes = {}, ...children: (SVGElement | string)[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

export function createChart(phrases: Phrases, pick: (step: number) => void): Chart {
  const picture = svg('svg', { class: 'stridelab-chart', role: 'img' });
  const box = element('div', { class: 'stridelab-chart-box' });
  box.append(picture);
  const hatch = uniqueId('hatch');
  let content: ChartContent = { steps: [], names: {} as ChartContent['names'], times: [] };
  let width = 0;
  let selected: number | null = null;
  let drawn = '';

  const draw = (): void => {
    const key = JSON.stringify([content, width]);
    if (key === drawn) return;
    drawn = key;
    const height = HEAD + content.steps.length * ROW + 14;
    setAttribute(picture, 'viewBox', `0 0 ${width || 860} ${height}`);
    setAttribute(picture, 'height', String(height));
    setAttribute(
      picture,
      'aria-label',
      phrases.__('Sequence chart of %1 steps. The tab Steps has them as a table.', content.steps.length)
    );
    picture.replaceChildren(...drawing(content, width || 860, height, hatch, phrases));
    fade();
  };
  const fade = (): void => {
    for (const row of picture.querySelectorAll<SVGElement>('[data-step]')) {
      const step = Number(row.dataset['step']);
      const state = selected === null || step < selected ? '' : step === selected ? 'now' : 'later';
      setAttribute(row, 'data-state', state === '' ? null : state);
    }
  };
  picture.addEventListener('click', event => {
    const row = (event.target as Element).closest<SVGElement>('[data-step]');
    if (row) pick(Number(row.dataset['step']));
  });
  const sizes = new ResizeObserver(() => {
    width = box.clientWidth;
    if (width > 0) draw();
  });
  sizes.observe(box);
  return {
    element: box,
    update(next) {
      content = next;
      draw();
    },
    select(step) {
      selected = step;
      fade();
    },
    dispose: () => sizes.disconnect()
  };
}

function drawing(
  { steps, names, times }: ChartContent,
  width: number,
  height: number,
  hatch: string,
  { __ }: Phrases
): SVGElement[] {
  const lanes = LANES.filter(
    lane => lane !== 'host' || steps.some(({ from, to }) => from === 'host' || to === 'host')
  );
  const titles: Readonly<Record<Lane, string>> = {
    producer: __('producer'),
    'producer-stream': __("producer's stream"),
    'consumer-stream': __("consumer's stream"),
    consumer: __('consumer'),
    host: __('host thread')
  };
  const room = (width - NUMBERS - (times.length > 0 ? TIMES : 0)) / lanes.length;
  const x = (lane: Lane): number => NUMBERS + room * (lanes.indexOf(lane) + 0.5);
  const y = (step: number): number => HEAD + (step + 0.72) * ROW;
  const text = (content: string, at: Attributes, kind = ''): SVGElement => {
    // Backticks enclose code.
    const [, code] = /^`(.*)`$/.exec(content) ?? [];
    return svg('text', { ...at, class: code === undefined ? kind : `${kind} code` }, code ?? content);
  };
  const cut = (name: string): string => {
    const most = Math.floor((room - 18) / 6.4);
    return name.length > most ? `${name.slice(0, most - 1)}…` : name;
  };

  const heads = lanes.flatMap(lane => [
    svg('rect', {
      x: x(lane) - room / 2 + 5,
      y: 3,
      width: room - 10,
      height: HEAD - 10,
      rx: 4,
      class: 'head'
    }),
    text(titles[lane], { x: x(lane), y: 17, 'text-anchor': 'middle' }, 'title'),
    text(cut(names[lane]), { x: x(lane), y: 31, 'text-anchor': 'middle' }, 'name'),
    lane.endsWith('stream')
      ? svg('rect', {
          x: x(lane) - BAR,
          y: HEAD - 7,
          width: 2 * BAR,
          height: height - HEAD + 3,
          class: 'queue'
        })
      : svg('path', { d: `M${x(lane)} ${HEAD - 7}V${height - 4}`, class: 'life' })
  ]);

  const facts = steps.map(({ fact }) => fact);
  const indexOf = (matches: (fact: Fact) => boolean): number => facts.findIndex(matches);
  const use = indexOf(fact => fact.kind === 'use' && fact.side === 'consumer');
  const hazard = isHazard(facts);
  const bars = steps.flatMap(({ mark, to, fact }, index) => {
    if (mark !== 'work') return [];
    const top = y(index) - 4;
    const late = use < 0 ? steps.length - 1 : use;
    const end =
      fact.kind === 'work'
        ? !fact.pending
          ? top + 12
          : hazard
            ? y(late) + ROW * 0.62
            : y(late) - (use < 0 ? 0 : 7)
        : top + ROW * 0.95;
    const access = 'access' in fact ? fact.access : '';
    return [
      svg('rect', {
        'data-step': index,
        x: x(to) - BAR,
        y: top,
        width: 2 * BAR,
        height: end - top,
        rx: 2,
        class: `bar ${access} ${to}`
      })
    ];
  });
  const waiting = steps.flatMap(({ mark, to, fact }, index) =>
    mark === 'wait' && fact.kind === 'wait' && fact.side === 'consumer' && use > index
      ? [
          svg('path', {
            'data-step': index,
            d: `M${x(to)} ${y(index)}V${y(use) - 7}`,
            class: 'waiting'
          })
        ]
      : []
  );
  const window_ = hazard ? hazardWindow(facts, use, x, y, hatch, __) : [];

  const rows = steps.map((step, index) => {
    const at = y(index);
    return svg(
      'g',
      { 'data-step': index, class: step.mark },
      svg('rect', { x: 0, y: at - ROW * 0.66, width, height: ROW, class: 'row' }),
      text(String(index + 1), { x: 22, y: at + 3, 'text-anchor': 'end' }, 'number'),
      ...(times[index] === undefined
        ? []
        : [text(times[index], { x: width - 6, y: at + 3, 'text-anchor': 'end' }, 'number')]),
      ...markOf(step, at, x, (content, place) => text(content, place, 'label'), __)
    );
  });
  return [
    svg(
      'defs',
      {},
      svg(
        'pattern',
        { id: hatch, width: 7, height: 7, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
        svg('path', { d: 'M0 0V7', class: 'hatch' })
      )
    ),
    ...heads,
    ...window_,
    ...bars,
    ...waiting,
    ...rows
  ];
}

/** From the pending write to the end of the read that may come too early. */
function hazardWindow(
  facts: readonly Fact[],
  use: number,
  x: (lane: Lane) => number,
  y: (step: number) => number,
  hatch: string,
  __: Phrases['__']
): SVGElement[] {
  const first = facts.findIndex(fact => fact.kind === 'work');
  const last = use < 0 ? facts.length - 1 : use;
  const [left, right] = [x('producer-stream') - BAR - 4, x('consumer-stream') + BAR + 4];
  const box = {
    x: left,
    y: y(first) - 4,
    width: right - left,
    height: y(last) - y(first) + ROW * 0.62 + 8,
    rx: 4
  };
  return [
    svg('rect', { ...box, class: 'hazard', fill: `url(#${hatch})` }),
    svg(
      'text',
      { x: (left + right) / 2, y: y(last) + 3, 'text-anchor': 'middle', class: 'label hazard-name' },
      __('⚠ hazard window')
    )
  ];
}

function markOf(
  { mark, from, to, label }: ChartStep,
  y: number,
  x: (lane: Lane) => number,
  text: (content: string, at: Attributes) => SVGElement,
  __: Phrases['__']
): SVGElement[] {
  const words = __(...label);
  const [start, end] = [x(from), x(to)];
  if (from === to) {
    const left = from === 'consumer' || from === 'host';
    const side = { x: start + (left ? -14 : 14), y: y + 4, 'text-anchor': left ? 'end' : 'start' };
    const sign =
      mark === 'event'
        ? svg('path', { d: `M${start} ${y - 7}l7 7l-7 7l-7-7z`, class: 'sign' })
        : mark === 'wait'
          ? svg('path', { d: `M${start - 9} ${y - 2}h18m-18 5h18`, class: 'line' })
          : mark === 'failed'
            ? svg('path', { d: `M${start - 6} ${y - 6}l12 12m0-12l-12 12`, class: 'line' })
            : svg('circle', { cx: start, cy: y, r: 4, class: 'sign' });
    return [sign, text(words, side)];
  }
  const direction = Math.sign(end - start);
  const gap = (lane: Lane): number => (lane.endsWith('stream') ? BAR + 2 : 2);
  const [tail, tip] = [start + direction * gap(from), end - direction * gap(to)];
  const head =
    mark === 'wait'
      ? svg('path', { d: `M${end - 9} ${y - 3}h18m-18 6h18`, class: 'line' })
      : svg('path', { d: `M${tip} ${y}l${-direction * 8} -4v8z`, class: 'tip' });
  return [
    svg('path', { d: `M${tail} ${y}H${tip}`, class: 'line' }),
    head,
    text(words, { x: (start + end) / 2, y: y - 6, 'text-anchor': 'middle' })
  ];
}
