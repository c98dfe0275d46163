/** "What if": views of the array computed here from its layout alone, without the kernel or any memory access. */

import { type Layout, warpTouch } from '../../../../../src/layout/byte-map.ts';
import { formatShape } from '../../../../../src/layout/shape-text.ts';
import { extentOf, isColumnMajor, isRowMajor, mayOverlap } from '../../../../../src/layout/strides.ts';
import {
  applyStep,
  formatStep,
  type LayoutStep,
  parseStep,
  type StepKind
} from '../../../../../src/layout/what-if.ts';
import type { ArrayCode } from '../panel/array-code.ts';
import { copyText } from '../../kit/clipboard.ts';
import { createButton, disable } from '../../kit/controls.ts';
import { createStatus, createTable, createTableRow, element, setText } from '../../kit/dom.ts';
import type { Scene } from './scene.ts';
import { __ } from '../../kit/phrases.ts';

/** Initial arguments of an operation: examples that work for most arrays. */
const EXAMPLES: Readonly<Record<StepKind, (shape: readonly number[]) => readonly (number | string)[]>> = {
  transpose: shape => [...shape.keys()].reverse(),
  slice: shape => shape.map((_, axis) => (axis === shape.length - 1 ? '::-2' : ':')),
  reshape: () => [-1],
  broadcastTo: shape => [3, ...shape]
};

/** Creates the controls. `changed` is called when another chain must be drawn. */
export function createWhatIf(changed: () => void) {
  const select = element(
    'select',
    { 'aria-label': __('Operation') },
    ...Object.keys(EXAMPLES).map(kind => element('option', {}, kind))
  );
  const input = element('input', { 'aria-label': __('Arguments'), spellcheck: 'false' });
  const { element: status, say } = createStatus();
  const chain = element('code');
  let code: ArrayCode | undefined;
  let real: Layout;
  let steps: LayoutStep[] = [];

  const suggest = (): void => {
    const { shape } = steps.reduce(applyStep, real);
    input.value = EXAMPLES[select.value as StepKind](shape).join(', ');
  };
  const operations = (): string => steps.map(formatStep).join('');
  const showCode = (): void => {
    const name = code === undefined || code.setup !== '' ? `(${__('unnamed array')})` : code.expression;
    setText(chain, `${name}${operations()}`);
  };
  const showChain = (): void => {
    showCode();
    disable(undo, steps.length === 0);
    say('');
    suggest();
  };
  const change = (next: LayoutStep[]): void => {
    steps = next;
    showChain();
    changed();
  };
  const apply = (): void => {
    try {
      const next = [...steps, parseStep(select.value as StepKind, input.value)];
      next.reduce(applyStep, real);
      change(next);
    } catch (error) {
      say((error as Error).message, 'error');
    }
  };
  const copy = async (): Promise<void> => {
    try {
      if (code === undefined)
        throw new Error(
          __('No variable holds this array: assign it to a variable first, as in `const w = …`.')
        );
      await copyText(`${code.setup}${code.expression}${operations()}`);
      say(__('Copied.'));
    } catch (error) {
      say((error as Error).message, 'error');
    }
  };
  const undo = createButton(__('Undo'), '', () => {
    if (steps.length > 0) change(steps.slice(0, -1));
  });
  select.addEventListener('change', suggest);
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') apply();
  });

  const head = [
    element('td'),
    ...[__('Shape'), __('Strides'), __('First byte'), __('Bytes'), __('Order'), __('Lines'), __('Sectors')]
  ];
  const body = element('tbody');
  const caption = __('Layouts, with the 128-byte lines and 32-byte sectors that a warp reads');
  const table = createTable('compare', caption, head, body);

  return {
    /** Controls above the picture, and the result below it. */
    controls: element(
      'div',
      { class: 'row what-if' },
      element('strong', {}, __('What if')),
      chain,
      select,
      input,
      createButton(__('Apply'), '', apply),
      undo,
      createButton(__('Copy as TypeScript'), '', () => void copy()),
      status
    ),
    table,
    /** Sets the array's layout, and returns the one to draw: the result of the chain. */
    follow(layout: Layout): Layout {
      const isNew = layout !== real;
      real = layout;
      try {
        steps.reduce(applyStep, layout);
      } catch {
        // The array has a new shape, for which the chain is invalid.
        steps = [];
      }
      if (isNew) showChain();
      return steps.reduce(applyStep, layout);
    },
    /** Sets the code of the array, with which the chain begins; undefined if there is none. */
    name(next: ArrayCode | undefined): void {
      code = next;
      showCode();
    },
    compare(mine: Scene, drawn: Scene): void {
      const own = factsOf(mine);
      body.replaceChildren(createTableRow(__('This array'), own));
      if (steps.length === 0) return;
      const facts = factsOf(drawn).map((fact, at) => (own[at] === fact ? fact : `≠ ${fact}`));
      body.append(createTableRow(__('What if'), facts));
    }
  };
}

function factsOf({ layout, size, phase }: Scene): string[] {
  const { shape, strides, itemsize, offset } = layout;
  const { lines, sectors, bestLines, bestSectors } = warpTouch(layout, size, phase);
  const against = (count: number, best: number): string =>
    count > best ? __('%1 (best %2)', count, best) : String(count);
  const { start, end } = extentOf(shape, strides, itemsize);
  return [
    formatShape(shape),
    formatShape(strides),
    String(offset),
    end === start ? '0' : __('%1 to %2', offset + start, offset + end - 1),
    orderOf(layout),
    against(lines, bestLines),
    against(sectors, bestSectors)
  ];
}

function orderOf({ shape, strides, itemsize }: Layout): string {
  const orders = [
    isRowMajor(shape, strides, itemsize) && 'C',
    isColumnMajor(shape, strides, itemsize) && 'F',
    mayOverlap(shape, strides, itemsize) && __('overlapping')
  ].filter(Boolean);
  return orders.join(', ') || __('strided');
}
