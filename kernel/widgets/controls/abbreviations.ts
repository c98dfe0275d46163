/** Creates the controls that `interact` uses for plain values. */

import { isPlainObject } from '../model/values.ts';
import { isWidget, type Widget } from '../model/widget.ts';
import { FloatSlider, IntSlider } from './numbers.ts';
import { DatePicker } from './pickers.ts';
import { Dropdown } from './selection.ts';
import { Text } from './text.ts';
import { Checkbox } from './toggles.ts';

/** A control with a value. */
export interface ValueWidget<Value> extends Widget<{ value: Value }> {
  /** The control's value. */
  value: Value;
}

declare const FIXED: unique symbol;

/** A value that is passed on as it is, without a control. */
export class Fixed<Value> {
  declare readonly [FIXED]: Value;
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** Passes `value` to the function of `interact` without a control. */
export function fixed<Value>(value: Value): Fixed<Value> {
  return new Fixed(value);
}

/**
 * An argument of `interact`: a widget; a number (a slider around it); `[min, max]` or `[min, max, step]`; a boolean; text; a Date; a list
 * or an object of options; or `fixed(value)`.
 */
export type Abbreviation = unknown;

type Range = readonly [number, number] | readonly [number, number, number];

/** The type of the function argument that an abbreviation produces. */
export type ArgumentOf<Given> =
  Given extends Fixed<infer Value>
    ? Value
    : Given extends { readonly model_id: string; value: infer Value }
      ? Value
      : Given extends number
        ? number
        : Given extends boolean
          ? boolean
          : Given extends string
            ? string
            : Given extends Date
              ? Date | null
              : Given extends Range
                ? number
                : Given extends readonly (readonly [string, infer Value])[]
                  ? Value
                  : Given extends readonly (infer Value)[]
                    ? Value
                    : Given[keyof Given];

/** Returns the control for an abbreviation. Throws `TypeError` for a value that is not one. */
export function controlFor(name: string, given: unknown): ValueWidget<unknown> {
  if (isWidget(given)) {
    if ('value' in given) return given as unknown as ValueWidget<unknown>;
    throw new TypeError(
      `interact: the widget for "${name}" is a ${given.constructor.name}, which has no value`
    );
  }
  return create(name, given) as unknown as ValueWidget<unknown>;
}

function create(description: string, given: unknown): Widget {
  if (typeof given === 'boolean') return new Checkbox({ value: given, description });
  if (typeof given === 'string') return new Text({ value: given, description });
  if (typeof given === 'number') return around(given, description);
  if (given instanceof Date) return new DatePicker({ value: given, description });
  if (isRange(given)) return within(given, description);
  if (Array.isArray(given)) return new Dropdown({ options: given as readonly unknown[], description });
  if (given instanceof Map)
    return new Dropdown({ options: [...(given as Map<string, unknown>)], description });
  if (isPlainObject(given)) return new Dropdown({ options: given, description });
  throw new TypeError(
    `interact: no control represents the value of "${description}": give a number, [min, max], [min, max, step], true or false, ` +
      'text, a Date, a list or object of options, a widget, or fixed(value)'
  );
}

function isRange(given: unknown): given is Range {
  return (
    Array.isArray(given) &&
    (given.length === 2 || given.length === 3) &&
    given.every(item => typeof item === 'number')
  );
}

/** Returns a slider from the negated value to three times the value; from 0 to 1 for 0. */
function around(value: number, description: string): Widget {
  const ends = value === 0 ? [0, 1] : [-value, 3 * value].sort((a, b) => a - b);
  const [min, max] = ends as [number, number];
  return slider({ min, max, value, description });
}

function within([min, max, step]: Range, description: string): Widget {
  if (min > max)
    throw new RangeError(
      `interact: the range for "${description}" is [${min}, ${max}], expected the minimum first`
    );
  if (step !== undefined && step <= 0)
    throw new RangeError(`interact: the step for "${description}" is ${step}, expected a positive number`);
  const middle = min + (max - min) / 2;
  const whole =
    Number.isInteger(min) && Number.isInteger(max) && (step === undefined || Number.isInteger(step));
  const wanted = whole ? Math.floor(middle) : middle;
  const value = step === undefined ? wanted : min + Math.floor((wanted - min) / step) * step;
  return slider({ min, max, value, description, ...(step === undefined ? {} : { step }) });
}

function slider(options: {
  min: number;
  max: number;
  value: number;
  description: string;
  step?: number;
}): Widget {
  const { min, max, value, step = 1 } = options;
  if ([min, max, value, step].every(Number.isInteger)) return new IntSlider(options);
  return new FloatSlider({ ...options, step: options.step ?? (max - min) / 100 });
}
