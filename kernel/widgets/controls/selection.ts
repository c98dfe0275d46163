/** Controls that select among options. */

import { anything, list, nullable, text, withOptions, type Trait } from '../model/traits.ts';
import { widgetClass } from '../model/widget-class.ts';
import type { Widget, WidgetOptions } from '../model/widget.ts';
import type { Settle, WidgetSpec } from '../model/widget-spec.ts';
import * as specs from './selection.generated.ts';
import { selectionOptions, type OptionValue, type SelectionOptions } from './options.ts';
import { settleMany, settleOne, settleRange, type Many, type One } from './selection-state.ts';

/** Properties of a choice that stay in the kernel: the page has only labels and indices. */
export interface ChoiceOfOne<Value> {
  /** Values, pairs of label and value, or an object of labels and values. Assigning selects the first. */
  options: SelectionOptions;
  /** The chosen value; null if there is none. */
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

/** Class of a control that chooses one of its options, which determine the type of `value`. */
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

/** Returns the class with the given traits of value and label beside the properties of `spec`; messages name its model. */
function choiceClass<Kind extends One | Many>(
  { names, traits }: WidgetSpec<object>,
  value: Trait<unknown>,
  label: Trait<unknown>,
  settle: Settle<Kind>
): unknown {
  const choice = { options: local(selectionOptions()), value: local(value), label: local(label) };
  const spec = { names, traits: { ...traits, ...choice } } as unknown as WidgetSpec<Kind>;
  const name = names._model_name.replace(/Model$/, '');
  return Object.defineProperty(widgetClass(spec, settle), 'name', { value: name });
}

function oneOf<Properties extends object>(spec: WidgetSpec<Properties>): OneOfClass<Properties> {
  const made = choiceClass<One>(spec, anything<unknown>(null), nullable(text('')), settleOne);
  return made as OneOfClass<Properties>;
}

function manyOf<Properties extends object>(
  spec: WidgetSpec<Properties>,
  settle: Settle<Many>
): ManyOfClass<Properties> {
  const made = choiceClass<Many>(spec, list(anything<unknown>(null)), list(text('')), settle);
  return made as ManyOfClass<Properties>;
}

/** A drop-down list. */
export const Dropdown = oneOf(specs.dropdownSpec);
export type Dropdown<Value = unknown> = OneOf<specs.DropdownProperties, Value>;

/** Radio buttons, one of which is selected. */
export const RadioButtons = oneOf(specs.radioButtonsSpec);
export type RadioButtons<Value = unknown> = OneOf<specs.RadioButtonsProperties, Value>;

/** A list box, in which one option is selected. */
export const Select = oneOf(specs.selectSpec);
export type Select<Value = unknown> = OneOf<specs.SelectProperties, Value>;

/** A slider over the options. */
export const SelectionSlider = oneOf(specs.selectionSliderSpec);
export type SelectionSlider<Value = unknown> = OneOf<specs.SelectionSliderProperties, Value>;

/** Buttons side by side, one of which is selected. */
export const ToggleButtons = oneOf(specs.toggleButtonsSpec);
export type ToggleButtons<Value = unknown> = OneOf<specs.ToggleButtonsProperties, Value>;

/** A list box, in which any number of options is selected. */
export const SelectMultiple = manyOf(specs.selectMultipleSpec, settleMany);
export type SelectMultiple<Value = unknown> = ManyOf<specs.SelectMultipleProperties, Value>;

/** A slider with two handles over the options; its value is the pair of selected ends. */
export const SelectionRangeSlider = manyOf(specs.selectionRangeSliderSpec, settleRange);
export type SelectionRangeSlider<Value = unknown> = ManyOf<specs.SelectionRangeSliderProperties, Value>;
