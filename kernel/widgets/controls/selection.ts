/** Choices among options. */

import { anything, list, nullable, text, withOptions, type Trait } from '../model/traits.ts';
import { widgetClass } from '../model/widget-class.ts';
import type { Widget, WidgetOptions } from '../model/widget.ts';
import type { Settle, WidgetSpec } from '../model/widget-spec.ts';
import {
  dropdownSpec,
  radioButtonsSpec,
  selectionRangeSliderSpec,
  selectionSliderSpec,
  selectMultipleSpec,
  selectSpec,
  toggleButtonsSpec,
  type DropdownProperties,
  type RadioButtonsProperties,
  type SelectionRangeSliderProperties,
  type SelectionSliderProperties,
  type SelectMultipleProperties,
  type SelectProperties,
  type ToggleButtonsProperties
} from './selection.generated.ts';
import { selectionOptions, type OptionValue, type SelectionOptions } from './options.ts';
import { settleMany, settleOne, settleRange, type Many, type One } from './selection-state.ts';

/** Properties of a choice that stay in the kernel: the page knows labels and indices alone. */
export interface ChoiceOfOne<Value> {
  /** Values, pairs of label and value, or an object of labels and values. Assigning selects the first. */
  options: SelectionOptions;
  /** The chosen value; null where none is. */
  value: Value | null;
  /** The label of the chosen value. */
  label: string | null;
}

export interface ChoiceOfMany<Value> {
  /** Values, pairs of label and value, or an object of labels and values. Assigning selects none. */
  options: SelectionOptions;
  value: readonly Value[];
  label: readonly string[];
}

type OptionsFor<Properties extends object, Kind, Options> = Omit<
  WidgetOptions<Properties>,
  'options' | keyof Kind
> & { readonly options?: Options } & Partial<Omit<Kind, 'options'>>;

/** The class of a control that chooses one of its options; the type of `value` follows from them. */
export interface OneOfClass<Properties extends object> {
  new <const Options extends SelectionOptions = readonly string[]>(
    options?: OptionsFor<Properties, ChoiceOfOne<OptionValue<Options>>, Options>
  ): OneOf<Properties, OptionValue<Options>>;
}
export type OneOf<Properties extends object, Value> = Widget<Properties & ChoiceOfOne<Value>> &
  Properties &
  ChoiceOfOne<Value>;

export interface ManyOfClass<Properties extends object> {
  new <const Options extends SelectionOptions = readonly string[]>(
    options?: OptionsFor<Properties, ChoiceOfMany<OptionValue<Options>>, Options>
  ): ManyOf<Properties, OptionValue<Options>>;
}
export type ManyOf<Properties extends object, Value> = Widget<Properties & ChoiceOfMany<Value>> &
  Properties &
  ChoiceOfMany<Value>;

const local = <Value>(kind: Trait<Value>): Trait<Value> => withOptions(kind, { local: true });

function oneOf<Properties extends { index: number | null }>(
  name: string,
  spec: WidgetSpec<Properties>
): OneOfClass<Properties> {
  const traits = {
    ...spec.traits,
    options: local(selectionOptions()),
    value: local(anything<unknown>(null)),
    label: local(nullable(text('')))
  };
  const whole = { names: spec.names, traits } as unknown as WidgetSpec<Properties & One>;
  const base = widgetClass(whole, settleOne as Settle<Properties & One>);
  return named(name, base) as unknown as OneOfClass<Properties>;
}

function manyOf<Properties extends object>(
  name: string,
  spec: WidgetSpec<Properties>,
  settle: typeof settleMany
): ManyOfClass<Properties> {
  const traits = {
    ...spec.traits,
    options: local(selectionOptions()),
    value: local(list(anything<unknown>(null))),
    label: local(list(text('')))
  };
  const whole = { names: spec.names, traits } as unknown as WidgetSpec<Properties & Many>;
  const base = widgetClass(whole, settle as Settle<Properties & Many>);
  return named(name, base) as unknown as ManyOfClass<Properties>;
}

/** The class's name stands in messages. */
function named<Class extends object>(name: string, type: Class): Class {
  return Object.defineProperty(type, 'name', { value: name });
}

/** A drop-down list. */
export const Dropdown = oneOf<DropdownProperties>('Dropdown', dropdownSpec);
export type Dropdown<Value = unknown> = OneOf<DropdownProperties, Value>;

/** Radio buttons, one of which is selected. */
export const RadioButtons = oneOf<RadioButtonsProperties>('RadioButtons', radioButtonsSpec);
export type RadioButtons<Value = unknown> = OneOf<RadioButtonsProperties, Value>;

/** A list box, in which one option is selected. */
export const Select = oneOf<SelectProperties>('Select', selectSpec);
export type Select<Value = unknown> = OneOf<SelectProperties, Value>;

/** A slider over the options. */
export const SelectionSlider = oneOf<SelectionSliderProperties>('SelectionSlider', selectionSliderSpec);
export type SelectionSlider<Value = unknown> = OneOf<SelectionSliderProperties, Value>;

/** Buttons side by side, one of which is selected. */
export const ToggleButtons = oneOf<ToggleButtonsProperties>('ToggleButtons', toggleButtonsSpec);
export type ToggleButtons<Value = unknown> = OneOf<ToggleButtonsProperties, Value>;

/** A list box, in which any number of options is selected. */
export const SelectMultiple = manyOf<SelectMultipleProperties>(
  'SelectMultiple',
  selectMultipleSpec,
  settleMany
);
export type SelectMultiple<Value = unknown> = ManyOf<SelectMultipleProperties, Value>;

/** A slider with two handles over the options; its value is the pair of selected ends. */
export const SelectionRangeSlider = manyOf<SelectionRangeSliderProperties>(
  'SelectionRangeSlider',
  selectionRangeSliderSpec,
  settleRange
);
export type SelectionRangeSlider<Value = unknown> = ManyOf<SelectionRangeSliderProperties, Value>;
