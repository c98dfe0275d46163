/** Numbers: text boxes, sliders, progress bars. */

import { widgetClass } from '../model/widget-class.ts';
import type { WidgetOptions } from '../model/widget.ts';
import {
  boundedFloatTextSpec,
  boundedIntTextSpec,
  floatLogSliderSpec,
  floatProgressSpec,
  floatRangeSliderSpec,
  floatSliderSpec,
  floatTextSpec,
  intProgressSpec,
  intRangeSliderSpec,
  intSliderSpec,
  intTextSpec,
  playSpec,
  type BoundedFloatTextProperties,
  type BoundedIntTextProperties,
  type FloatLogSliderProperties,
  type FloatProgressProperties,
  type FloatRangeSliderProperties,
  type FloatSliderProperties,
  type FloatTextProperties,
  type IntProgressProperties,
  type IntRangeSliderProperties,
  type IntSliderProperties,
  type IntTextProperties,
  type PlayProperties
} from './numbers.generated.ts';
import { keepPairWithin, keepPowerWithin, keepWithin } from './bounds.ts';

/** A text box for a whole number. */
export class IntText extends widgetClass<IntTextProperties>(intTextSpec) {}

/** A text box for a whole number from `min` to `max`. */
export class BoundedIntText extends widgetClass<BoundedIntTextProperties>(boundedIntTextSpec, keepWithin) {}

/** A slider for a whole number from `min` to `max`. */
export class IntSlider extends widgetClass<IntSliderProperties>(intSliderSpec, keepWithin) {}

/** A progress bar that is full at `max`. */
export class IntProgress extends widgetClass<IntProgressProperties>(intProgressSpec, keepWithin) {}

/** Animation controls that count from `min` to `max`, one step every `interval` milliseconds. */
export class Play extends widgetClass<PlayProperties>(playSpec, keepWithin) {}

/** A text box for a number. */
export class FloatText extends widgetClass<FloatTextProperties>(floatTextSpec) {}

/** A text box for a number from `min` to `max`. */
export class BoundedFloatText extends widgetClass<BoundedFloatTextProperties>(
  boundedFloatTextSpec,
  keepWithin
) {}

/** A slider for a number from `min` to `max`. */
export class FloatSlider extends widgetClass<FloatSliderProperties>(floatSliderSpec, keepWithin) {}

/** A slider for a number from `base ** min` to `base ** max`; `step` is a step of the exponent. */
export class FloatLogSlider extends widgetClass<FloatLogSliderProperties>(
  floatLogSliderSpec,
  keepPowerWithin
) {}

/** A progress bar that is full at `max`. */
export class FloatProgress extends widgetClass<FloatProgressProperties>(floatProgressSpec, keepWithin) {}

/** A slider for whole numbers with two handles; initially the middle half of its range is selected. */
export class IntRangeSlider extends widgetClass<IntRangeSliderProperties>(
  intRangeSliderSpec,
  keepPairWithin
) {
  constructor(options: WidgetOptions<IntRangeSliderProperties> = {}) {
    super({ ...options, value: options.value ?? middleHalf(options.min ?? 0, options.max ?? 100) });
  }

  /** The lower end of the selected range. */
  get lower(): number {
    return this.value[0];
  }
  set lower(lower: number) {
    this.value = [lower, this.upper];
  }

  /** The upper end of the selected range. */
  get upper(): number {
    return this.value[1];
  }
  set upper(upper: number) {
    this.value = [this.lower, upper];
  }
}

/** A slider with two handles; initially the middle half of its range is selected. */
export class FloatRangeSlider extends widgetClass<FloatRangeSliderProperties>(
  floatRangeSliderSpec,
  keepPairWithin
) {
  constructor(options: WidgetOptions<FloatRangeSliderProperties> = {}) {
    super({ ...options, value: options.value ?? middleHalf(options.min ?? 0, options.max ?? 100) });
  }

  /** The lower end of the selected range. */
  get lower(): number {
    return this.value[0];
  }
  set lower(lower: number) {
    this.value = [lower, this.upper];
  }

  /** The upper end of the selected range. */
  get upper(): number {
    return this.value[1];
  }
  set upper(upper: number) {
    this.value = [this.lower, upper];
  }
}

function middleHalf(min: number, max: number): readonly [number, number] {
  return [0.75 * min + 0.25 * max, 0.25 * min + 0.75 * max];
}
