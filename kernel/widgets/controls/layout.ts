/** The position and size of a widget. */

import { nullable, text, withOptions } from '../model/traits.ts';
import { widgetClass } from '../model/widget-class.ts';
import type { Settle, WidgetSpec } from '../model/widget-spec.ts';
import { layoutSpec, type LayoutProperties as Sides } from './layout.generated.ts';

export interface LayoutProperties extends Sides {
  /** All four borders; null while they differ. */
  border: string | null;
}

const SIDES = ['border_top', 'border_right', 'border_bottom', 'border_left'] as const;

const spec: WidgetSpec<LayoutProperties> = {
  names: layoutSpec.names,
  traits: { ...layoutSpec.traits, border: withOptions(nullable(text('')), { local: true }) }
};

const settle: Settle<LayoutProperties> = (values, changed) => {
  if (changed.has('border')) {
    for (const side of SIDES) if (!changed.has(side)) values[side] = values.border;
  }
  const { border_top: border } = values;
  values.border = SIDES.every(side => values[side] === border) ? border : null;
};

/** The size and position of a widget, as CSS properties with underscores. */
export class Layout extends widgetClass<LayoutProperties>(spec, settle) {}
