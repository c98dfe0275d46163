/** The address of the selected element as a sum: base + Σ index · stride, each axis with its letter and colour. */

import { createTable, createTableRow, element, part, type Part } from '../../kit/dom.ts';
import { axisLetter, axisText } from './axes.ts';
import { nameOf, type Scene, type Spot } from './scene.ts';
import { __ } from '../../kit/phrases.ts';

export function createSum(): Part<[scene: Scene, spot: Spot]> {
  const title = element('strong');
  const address = element('code');
  const formula = part('p', 'sum');
  const body = element('tbody');
  const headings = [
    __('Axis'),
    __('Length'),
    __('Stride'),
    __('Direction'),
    __('Index'),
    __('Index · stride')
  ];
  const caption = __('byte = base + Σ index · stride');
  const table = createTable('axis-table', caption, headings, body);

  return {
    element: part('div', 'sum-box', element('p', {}, title, ' ', address), formula, table),
    update({ layout: { shape, strides, offset }, address: base }, spot) {
      const { index } = spot;
      title.textContent = nameOf(spot);
      address.textContent = base > 0n ? `0x${(base + BigInt(spot.start)).toString(16)}` : '';
      const terms = shape.map((_, axis) => (index?.[axis] ?? 0) * (strides[axis] as number));
      const total = terms.reduce((sum, term) => sum + term, offset);
      formula.replaceChildren(
        ...(index === null
          ? [__('No element of this view is here.')]
          : [
              __('base %1', offset),
              ...strides.flatMap((stride, axis) => [
                ' + ',
                axisText(axis, `${axisLetter(axis)} ${index[axis]}·${stride < 0 ? `(${stride})` : stride}`)
              ]),
              ' = ',
              element('strong', {}, __('byte %1', total))
            ])
      );
      const rows = shape.map((length, axis) => {
        const texts = [length, strides[axis], directionOf(length, strides[axis] as number)];
        const parts = index
          ? [axisText(axis, index[axis] as number), axisText(axis, terms[axis] as number)]
          : ['', ''];
        return createTableRow(axisText(axis, axisLetter(axis)), [...texts.map(String), ...parts]);
      });
      body.replaceChildren(...rows);
      table.hidden = shape.length === 0;
    }
  };
}

function directionOf(length: number, stride: number): string {
  if (length <= 1) return __('· not used');
  if (stride === 0) return __('↻ repeats %1 times', length);
  return stride < 0 ? __('← backwards') : __('→ forwards');
}
