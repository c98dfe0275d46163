/** Widgets for tests of widgets: a dial with a trait of each kind, and the paint that it refers to. */

import { reference, references } from '../../../kernel/widgets/model/reference-traits.ts';
import {
  anything,
  bytes,
  choice,
  int,
  nullable,
  text,
  withOptions
} from '../../../kernel/widgets/model/traits.ts';
import { Widget } from '../../../kernel/widgets/model/widget.ts';
import { widgetClass } from '../../../kernel/widgets/model/widget-class.ts';
import type { WidgetNames } from '../../../kernel/widgets/model/widget-spec.ts';
import { registerPageClass } from '../../../kernel/widgets/model/page-widgets.ts';

export const names = (name: string): WidgetNames => ({
  _model_module: 'dials',
  _model_module_version: '^1.0.0',
  _model_name: `${name}Model`,
  _view_module: 'dials',
  _view_module_version: '^1.0.0',
  _view_name: `${name}View`
});

interface PaintProperties {
  colour: string;
}
export class Paint extends widgetClass<PaintProperties>({
  names: names('Paint'),
  traits: { colour: text('red') }
}) {}

export interface DialProperties {
  value: number;
  max: number;
  mode: 'fast' | 'slow';
  label: string | null;
  picture: Uint8Array;
  secret: string;
  note: unknown;
  paint: Paint;
  parts: readonly Widget[];
  hidden: number;
}
export class Dial extends widgetClass<DialProperties>(
  {
    names: names('Dial'),
    traits: {
      value: int(0),
      max: int(10),
      mode: choice(['fast', 'slow'], 'fast'),
      label: nullable(text('')),
      picture: bytes(),
      secret: withOptions(text(''), { echo: false }),
      note: anything<unknown>(null),
      paint: reference(() => Paint),
      parts: references(() => Widget),
      hidden: withOptions(int(0), { local: true })
    }
  },
  (values, changed, what) => {
    if (changed.has('max') && values.max < 0) throw new RangeError(`${what}.max must not be negative`);
    values.value = Math.min(values.value, values.max);
  }
) {}
registerPageClass('dials', 'DialModel', Dial);
