/**
 * The array's logical view: the last two axes as a grid, the others at one index each. Large arrays show a
 * window; the arrow keys move past its edge.
 */

import { ordinalOf } from '../../../../../src/layout/byte-map.ts';
import { element, part } from '../../kit/dom.ts';
import { axisLetter, axisText } from './axes.ts';
import { cellName, markCell, type Scene, type Side, type Spot, spotOf, type Spots, tint } from './scene.ts';
import { __ } from '../../kit/phrases.ts';

const ROWS = 12;
/** Number of columns by the digits of the largest number. */
const COLUMNS = [16, 16, 16, 12, 9];
const FEWEST_COLUMNS = 8;

/** Creates the grid. `choose` is called when an index is typed for an outer axis. */
export function createLogicalGrid(spots: Spots, choose: (spot: Spot) => void): Side {
  const table = element('table', { class: 'cells', role: 'grid', 'aria-label': __('Elements') });
  const outer = part('div', 'row');
  let cells: HTMLElement[] = [];
  let drawn = '';
  let origin = [0, 0];
  let scene: Scene;
  let current: readonly number[] = [];

  const build = (rows: number, columns: number): void => {
    const { shape } = scene.layout;
    const axes = shape.length;
    const leading = current.slice(0, Math.max(axes - 2, 0));
    const heading = (axis: number, at: number, scope: string): HTMLElement =>
      element('th', { scope }, ...(axis < 0 ? [] : [axisText(axis, at)]));
    const steps = (count: number): number[] => [...Array(count).keys()];
    const [row, column] = origin as [number, number];
    cells = [];
    table.replaceChildren(
      element(
        'tr',
        {},
        element(
          'td',
          {},
          ...(axes > 1 ? [axisText(axes - 2, `${axisLetter(axes - 2)}↓`), ' '] : []),
          ...(axes > 0 ? [axisText(axes - 1, `${axisLetter(axes - 1)}→`)] : [])
        ),
        ...steps(columns).map(at => heading(axes - 1, column + at, 'col'))
      ),
      ...steps(rows).map(down => {
        const line = steps(columns).map(right => {
          const index = [...leading, row + down, column + right].slice(-axes || 2).slice(0, axes);
          const spot = spotOf(scene, index);
          const number = String(ordinalOf(shape, index));
          const name = cellName(spot, number);
          const cell = element('td', { role: 'gridcell', 'aria-label': name }, number);
          tint(cell, scene, index);
          spots.set(cell, spot);
          return cell;
        });
        cells.push(...line);
        return element('tr', {}, heading(axes - 2, row + down, 'row'), ...line);
      })
    );
    outer.replaceChildren(
      ...leading.map((at, axis) => {
        const most = (shape[axis] as number) - 1;
        const input = element('input', {
          type: 'number',
          min: '0',
          max: String(most),
          value: String(at)
        });
        input.addEventListener('change', () => {
          const wanted = Math.min(Math.max(Math.trunc(input.valueAsNumber) || 0, 0), most);
          choose(spotOf(scene, current.with(axis, wanted)));
          outer.querySelectorAll('input')[axis]?.focus();
        });
        return element('label', {}, axisText(axis, `${axisLetter(axis)} = `), input);
      })
    );
  };

  return {
    element: element('div', {}, outer, table),
    show(next, chosen, spot) {
      scene = next;
      const { shape } = next.layout;
      current = chosen.index ?? (current.length === shape.length ? current : shape.map(() => 0));
      const [height = 1, width = 1] = shape.length > 1 ? shape.slice(-2) : [1, ...shape];
      const rows = Math.min(height, ROWS);
      const columns = Math.min(width, COLUMNS[String(next.size - 1).length] ?? FEWEST_COLUMNS);
      const shift = (first: number, at: number, shown: number, all: number): number =>
        Math.min(Math.max(first, at - shown + 1, 0), at, all - shown);
      const [down = 0, right = 0] = shape.length > 1 ? current.slice(-2) : [0, ...current];
      origin = [
        shift(origin[0] as number, down, rows, height),
        shift(origin[1] as number, right, columns, width)
      ];
      const form = JSON.stringify([next.layout, origin, current.slice(0, -2)]);
      if (form !== drawn) build(rows, columns);
      drawn = form;
      for (const cell of cells) markCell(cell, spots.get(cell) as Spot, { ...chosen, index: current }, spot);
    },
    move(key, { index }, far) {
      const { shape } = scene.layout;
      const axis = shape.length - (KEYS[key]?.[0] ?? 0);
      const by = KEYS[key]?.[1] ?? 0;
      if (index === null || by === 0) return undefined;
      if (far && Math.abs(by) > 1)
        return spotOf(
          scene,
          shape.map(length => (by > 0 ? length - 1 : 0))
        );
      if (axis < 0) return spotOf(scene, index);
      const to = Math.min(Math.max((index[axis] as number) + by, 0), (shape[axis] as number) - 1);
      return spotOf(scene, index.with(axis, to));
    }
  };
}

/** The axis that a key moves along, counted from the last, and the distance. */
const KEYS: Readonly<Record<string, readonly [axis: number, by: number]>> = {
  ArrowRight: [1, 1],
  ArrowLeft: [1, -1],
  ArrowDown: [2, 1],
  ArrowUp: [2, -1],
  Home: [1, -Infinity],
  End: [1, Infinity],
  PageDown: [3, 1],
  PageUp: [3, -1]
};
