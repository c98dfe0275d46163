/** The values, page by page over the last two axes. */

import 'stridelab-panels-style';
import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { FOLD, type ValuesPage } from '../../../../src/pictures/array/page-schema.ts';
import { createColourScale } from './colour-scale.ts';
import { createColumnFit } from './column-fit.ts';
import { createField } from '../kit/controls.ts';
import { createKeyedList, element, part, setAttribute, setText } from '../kit/dom.ts';
import type { Cell } from '../kit/cursor.ts';
import type { ChangeMarks } from '../kit/change-marks.ts';
import type { LookPanel } from './panel/panel.ts';
import { createSheet, type Sheet } from './sheet.ts';
import { viewSettings } from '../kit/settings.ts';
import type { Frame } from '../kit/framed.ts';
import { formatCount, __ } from '../kit/phrases.ts';

/** Maximum number of leading indices in the caption; the fields above show all. */
const MOST_LEADING = 6;

/** Texts that the library writes for special values. */
const SPECIAL: Readonly<Record<string, readonly [kind: string, sign: string]>> = {
  NaN: ['nan', 'NaN'],
  Infinity: ['inf', '∞'],
  '-Infinity': ['inf', '−∞'],
  '-0': ['zero', '−0'],
  '--': ['masked', '--']
};

export function createValuesPanel(marks: ChangeMarks, frame: Frame): LookPanel {
  let array: ArrayDescription | undefined;
  let leading: number[] = [];
  /** Magnitude that has the full colour; 0 for none. */
  let limit = 0;
  /** Whether the kernel has sent a page, which supersedes the picture's first values. */
  let told = false;

  const rank = (): number => array?.shape.length ?? 0;
  /** Returns the index of the element in a cell of a folded 1-D array. */
  const ordinal = ([row, column]: Cell): number => row * (sheet.page?.width ?? 0) + column;
  const readout = part('p', 'readout');
  const sheet: Sheet<ValuesPage> = createSheet<ValuesPage>({
    frame,
    method: 'values',
    label: __('Values'),
    leads: [''],
    size() {
      const columns = fit.columns();
      const { pageSize, previewBytes } = viewSettings();
      const affordable = Math.floor(previewBytes / (columns * (array?.itemsize ?? 1)));
      return { leading, rows: Math.max(1, Math.min(pageSize, affordable)), columns };
    },
    start: () => ({}),
    heading: column => (rank() === 0 ? '' : rank() === 1 ? `+${column}` : String(column)),
    lead: row => [rank() === 0 ? '' : String(rank() === 1 ? row * (sheet.page?.width ?? 0) : row)],
    write(cell, text, _, samePage) {
      const [kind, sign] = SPECIAL[text] ?? [null, text];
      if (samePage) marks.write(cell, sign, __('values'));
      else setText(cell, sign);
      setAttribute(cell, 'data-special', kind);
      const sized = limit > 0 && (kind === null || kind === 'zero');
      scale.tint(cell, sized ? Number(text) / limit : null);
    },
    moved(place) {
      const [row, column] = place;
      const index = rank() === 1 ? [ordinal(place)] : [...leading, row, column].slice(-rank() || 9e9);
      setText(readout, `[${index.join(', ')}] = ${sheet.cellAt(place)?.textContent ?? ''}`);
    },
    caption(place, copied) {
      const { page } = sheet;
      if (rank() === 1 && page) {
        const first = page.row * page.width;
        const last = first + page.cells.flat().length - 1;
        const [from, to, all] = [first, last, array?.size ?? 0].map(formatCount);
        return __('elements %1–%2 of %3; %4', from as string, to as string, all as string, copied);
      }
      const told = `${place}; ${copied}`;
      return leading.length > 0
        ? __(
            'Matrix [%1]; %2',
            [
              ...(leading.length > MOST_LEADING ? [...leading.slice(0, MOST_LEADING), '…'] : leading),
              ':',
              ':'
            ].join(', '),
            told
          )
        : told;
    }
  });
  const axes = part('span', 'axes');
  const updateAxes = createKeyedList<number>(axes, String, axis => {
    const { element: label, input } = createField(
      __('axis %1', axis),
      { type: 'number', min: '0' },
      ({ value }) => {
        leading[axis] = Number(value);
        sheet.reload();
      }
    );
    return {
      element: label,
      update() {
        input.max = String((array?.shape[axis] ?? 1) - 1);
        if (document.activeElement !== input) input.value = String(leading[axis]);
      }
    };
  });
  const scale = createColourScale(() => tint());
  sheet.tools.prepend(axes);
  sheet.tools.append(...scale.elements);
  sheet.content.append(readout);

  function tint(): void {
    const numeric = /^(u?int|b?float)/.test(array?.dtype ?? '');
    const statistics = array?.statistics;
    const extremes = statistics?.state === 'measured' ? [statistics.minimum, statistics.maximum] : [];
    const sizes = [...extremes, ...(sheet.page?.cells.flat() ?? [])].map(text => Math.abs(Number(text)));
    const most = numeric ? Math.max(0, ...sizes.filter(Number.isFinite)) : 0;
    const signed = !/^u/.test(array?.dtype ?? '') && !(Number(extremes[0] ?? -1) >= 0);
    const kind = signed ? 'diverging' : 'sequential';
    limit = scale.show(most > 0 ? kind : null, signed ? `−${most}` : '0', `+${most}`) ? most : 0;
    sheet.draw();
  }
  const root = element('div', {}, ...sheet.elements);
  const fit = createColumnFit(frame.signal, root, sheet.body, () => [
    array?.dtype ?? '',
    array?.preview?.rows.flat() ?? []
  ]);
  fit.changed = () => {
    const [row, column] = sheet.cursor;
    // Keep the element under the cursor visible, wherever it is then.
    sheet.reload(rank() === 1 ? { index: [ordinal(sheet.cursor)] } : { row, column });
  };
  const { show } = sheet;
  sheet.show = page => {
    told = true;
    leading = [...page.leading];
    show(page);
    updateAxes(leading.map((_, axis) => axis));
    tint();
    fit.measure();
  };

  return {
    element: root,
    opened: () => sheet.look.open(),
    update(next) {
      array = next;
      sheet.update(next, reasonOf(next));
      const { preview, shape, lifetime } = next;
      const cells = preview?.rows ?? [];
      if (!preview || cells.length === 0 || lifetime !== 'live' || (told && sheet.look.live)) return;
      // The first values, which the picture contains.
      const [across = 1, down = 1] = shape.toReversed();
      const [height, width] =
        rank() === 1 ? [Math.ceil(across / FOLD), Math.min(across, FOLD)] : [down, across];
      leading = shape.slice(0, -2).fill(0);
      const { copiedBytes, stream } = preview;
      show({ height, width, row: 0, column: 0, cells, cursor: null, leading, copiedBytes, stream });
      tint();
    }
  };
}

function reasonOf(array: ArrayDescription): string {
  if (array.lifetime === 'freed') return __('The memory was freed: there are no values to show.');
  if (array.lifetime === 'lost') return __('The device is lost: there are no values to show.');
  if (array.size === 0) return __('The array has no elements, so there is nothing to copy.');
  return __('No values were copied to the host (%1 elements).', formatCount(array.size));
}
