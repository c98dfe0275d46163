/** Containers that arrange widgets in rows, columns, grids or pages. */

import { widgetClass } from '../model/widget-class.ts';
import type { Widget, WidgetOptions } from '../model/widget.ts';
import type { Settle, WidgetSpec } from '../model/widget-spec.ts';
import * as specs from './boxes.generated.ts';

interface Holder {
  children: readonly Widget[];
}

/** Allows children as the only argument: `new HBox([a, b])`. */
function withChildren<Properties extends Holder>(
  children: readonly Widget[] | WidgetOptions<Properties>,
  options: WidgetOptions<Properties>
): WidgetOptions<Properties> {
  return Array.isArray(children)
    ? { ...options, children: children as readonly Widget[] }
    : { ...(children as WidgetOptions<Properties>), ...options };
}

interface BoxClass<Properties extends object> {
  new (
    children?: readonly Widget[] | WidgetOptions<Properties>,
    options?: WidgetOptions<Properties>
  ): Widget<Properties> & Properties;
}

function boxClass<Properties extends Holder>(
  spec: WidgetSpec<Properties>,
  settle?: Settle<NoInfer<Properties>>
): BoxClass<Properties> {
  const base = widgetClass(spec, settle) as unknown as new (
    options: WidgetOptions<Properties>
  ) => Widget<Properties>;
  return class extends base {
    constructor(
      children: readonly Widget[] | WidgetOptions<Properties> = [],
      options: WidgetOptions<Properties> = {}
    ) {
      super(withChildren(children, options));
    }
  } as unknown as BoxClass<Properties>;
}

/** A box of widgets, in a row unless its `layout` arranges them differently. */
export class Box extends boxClass(specs.boxSpec) {}

/** A box of widgets in a row. */
export class HBox extends boxClass(specs.hBoxSpec) {}

/** A box of widgets in a column. */
export class VBox extends boxClass(specs.vBoxSpec) {}

/** A box of widgets in a CSS grid that its `layout` describes. */
export class GridBox extends boxClass(specs.gridBoxSpec) {}

interface Pages extends Holder {
  titles: readonly string[];
  selected_index: number | null;
}

/** Keeps as many titles as children, and the selected index among them. */
function keepPages(values: Pages, changed: ReadonlySet<string>, what: string): void {
  const count = values.children.length;
  const { selected_index: selected, titles } = values;
  if (selected !== null && (selected < 0 || selected >= count)) {
    if (changed.has('selected_index'))
      throw new RangeError(`${what}.selected_index must be null or from 0 to ${count - 1}, not ${selected}`);
    values.selected_index = null;
  }
  if (titles.length !== count)
    values.titles = Object.freeze(Array.from({ length: count }, (_, index) => titles[index] ?? ''));
}

/** Keeps one tab open: the first, or the last if the open one was removed. */
const keepTab: Settle<specs.TabProperties> = (values, changed, what) => {
  const { selected_index: before } = values;
  keepPages(values, changed, what);
  const count = values.children.length;
  if (values.selected_index === null && count > 0 && !changed.has('selected_index'))
    values.selected_index = before === null ? 0 : count - 1;
};

/** A box that shows its children under their titles, with at most one open. */
export class Accordion extends boxClass(specs.accordionSpec, keepPages) {}

/** A box with a tab for each child. */
export class Tab extends boxClass(specs.tabSpec, keepTab) {}

/** A box that shows only the selected child. */
export class Stack extends boxClass(specs.stackSpec, keepPages) {}
