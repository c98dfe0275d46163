/** Numbers: text boxes, sliders, progress bars. */

import { widgetClass } from '../model/widget-class.ts';
import type { Widget, WidgetOptions } from '../model/widget.ts';
import type { Settle, WidgetSpec } from '../model/widget-spec.ts';
import * as specs from './numbers.generated.ts';
import { keepPairWithin, keepPowerWithin, keepWithin } from './bounds.ts';

/** A text box for a whole number. */
export class IntText extends widgetClass(specs.intTextSpec) {}

/** A text box for a whole number from `min` to `max`. */
export class BoundedIntText extends widgetClass(specs.boundedIntTextSpec, keepWithin) {}

/** A slider for a whole number from `min` to `max`. */
export class IntSlider extends widgetClass(specs.intSliderSpec, keepWithin) {}

/** A progress bar that is full at `max`. */
export class IntProgress extends widgetClass(specs.intProgressSpec, keepWithin) {}

/** Animation controls that count from `min` to `max`, one step every `interval` milliseconds. */
export class Play extends widgetClass(specs.playSpec, keepWithin) {}

/** A text box for a number. */
export class FloatText extends widgetClass(specs.floatTextSpec) {}

/** A text box for a number from `min` to `max`. */
export class BoundedFloatText extends widgetClass(specs.boundedFloatTextSpec, keepWithin) {}

/** A slider for a number from `min` to `max`. */
export class FloatSlider extends widgetClass(specs.floatSliderSpec, keepWithin) {}

/** A slider for a number from `base ** min` to `base ** max`; `step` is a step of the exponent. */
export class FloatLogSlider extends widgetClass(specs.floatLogSliderSpec, keepPowerWithin) {}

/** A progress bar that is full at `max`. */
export class FloatProgress extends widgetClass(specs.floatProgressSpec, keepWithin) {}

interface Range {
  min: number;
  max: number;
  value: readonly [number, number];
}

interface RangeClass<Properties extends Range> {
  new (options?: WidgetOptions<Properties>): Widget<Properties> &
    Properties & {
      /** The lower end of the selected range. */
      lower: number;
      /** The upper end of the selected range. */
      upper: number;
    };
}

function rangeClass<Properties extends Range>(spec: WidgetSpec<Properties>): RangeClass<Properties> {
  const base = widgetClass(spec, keepPairWithin as Settle<Properties>) as unknown as new (
    options: Partial<Range>
  ) => Range;
  return class extends base {
    constructor(options: Partial<Range> = {}) {
      super({ ...options, value: options.value ?? middleHalf(options.min ?? 0, options.max ?? 100) });
    }

    get lower(): number {
      return this.value[0];
    }
    set lower(lower: number) {
      this.value = [lower, this.upper];
    }

    get upper(): number {
      return this.value[1];
    }
    set upper(upper: number) {
      this.value = [this.lower, upper];
    }
  } as unknown as RangeClass<Properties>;
}

/** A slider for whole numbers with two handles; initially the middle half of its range is selected. */
export class IntRangeSlider extends rangeClass(specs.intRangeSliderSpec) {}

/** A slider with two handles; initially the middle half of its range is selected. */
export class FloatRangeSlider extends rangeClass(specs.floatRangeSliderSpec) {}

function middleHalf(min: number, max: number): readonly [number, number] {
  return [0.75 * min + 0.25 * max, 0.25 * min + 0.75 * max];
}
