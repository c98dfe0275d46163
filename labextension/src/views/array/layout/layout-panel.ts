/** The layout of an array: the logical grid, the bytes in memory, and the arithmetic that relates them. */

import 'stridelab-panels-style';
import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';
import { indexOf } from '../../../../../src/layout/byte-map.ts';
import { onKeys } from '../../kit/cursor.ts';
import { element, setLine } from '../../kit/dom.ts';
import { codeOf } from '../panel/array-code.ts';
import type { Panel } from '../panel/panel.ts';
import { createByteStrip } from './byte-strip.ts';
import { createLogicalGrid } from './logical-grid.ts';
import { isDrawable, layoutOf, type Scene, sceneOf, type Spot, spotOf, type Spots } from './scene.ts';
import { createSum } from './sum.ts';
import { createWhatIf } from './what-if.ts';
import { __ } from '../../kit/phrases.ts';

export function createLayoutPanel(): Panel {
  const spots: Spots = new WeakMap();
  let latest: ArrayDescription | undefined;
  let form = '';
  let scene: Scene | undefined;
  /** The spot chosen by keyboard or click; the pointer may be over another. */
  let chosen: Spot;

  const draw = (hovered = chosen): void => {
    if (scene === undefined || scene.size === 0) return;
    for (const side of sides) side.show(scene, chosen, hovered);
    sum.update(scene, hovered);
  };
  const choose = (spot: Spot): void => {
    chosen = spot;
    draw();
  };
  const sum = createSum();
  const sides = [createLogicalGrid(spots, choose), createByteStrip(spots)] as const;
  for (const side of sides) {
    const node = side.element;
    const spotAt = ({ target }: Event): Spot | undefined => spots.get(target as HTMLElement);
    node.addEventListener('focusin', event => {
      const spot = spotAt(event);
      if (spot && spot !== chosen) choose(spot);
    });
    node.addEventListener('pointerover', event => draw(spotAt(event)));
    node.addEventListener('pointerleave', () => draw());
    onKeys(node, event => {
      const { key, altKey, shiftKey } = event;
      const far = event.ctrlKey || event.metaKey;
      // Other combinations belong to JupyterLab; on many keyboards + needs Shift.
      if (altKey || (shiftKey && key !== '+') || (far && key !== 'Home' && key !== 'End')) return false;
      const from = spotAt(event);
      const to = from && side.move(key, from, far);
      if (to === undefined) return false;
      choose(to);
      node.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
      return true;
    });
  }
  const whatIf = createWhatIf(() => rebuild());
  const empty = element('p', { class: 'empty', hidden: '' });
  const drawing = element(
    'div',
    {},
    element('div', { class: 'pair' }, sides[0].element, sum),
    sides[1].element
  );

  function rebuild(): void {
    if (latest === undefined) return;
    const real = layoutOf(latest);
    const layout = whatIf.follow(real);
    scene = sceneOf(layout, latest);
    whatIf.compare(sceneOf(real, latest), scene);
    drawing.hidden = scene.size === 0;
    setLine(
      empty,
      scene.size === 0
        ? __('No elements: an axis has length 0.')
        : latest.storage === null
          ? __('The memory was freed; this was its layout.')
          : ''
    );
    if (scene.size > 0) choose(spotOf(scene, indexOf(layout.shape, Math.min(1, scene.size - 1))));
  }

  function update(): void {
    if (latest === undefined) return;
    const { shape, strides, size, itemsize, storage } = latest;
    const newForm = JSON.stringify([shape, strides, size, itemsize, storage]);
    if (newForm === form) return;
    form = newForm;
    const drawable = isDrawable(latest);
    for (const part of [whatIf.controls, whatIf.table, drawing]) part.hidden = !drawable;
    if (drawable) rebuild();
    else setLine(empty, __('Shape, strides and size do not describe one array.'));
  }

  return {
    element: element('div', { class: 'layout' }, whatIf.controls, empty, drawing, whatIf.table),
    update(array) {
      latest = array;
      whatIf.name(codeOf(array));
      update();
    }
  };
}
