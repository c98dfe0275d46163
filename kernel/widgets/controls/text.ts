/** Text: to write, and to show. */

import { widgetClass } from '../model/widget-class.ts';
import type { Settle } from '../model/widget-spec.ts';
import {
  comboboxSpec,
  htmlMathSpec,
  htmlSpec,
  labelSpec,
  passwordSpec,
  textareaSpec,
  textSpec,
  type ComboboxProperties,
  type HTMLMathProperties,
  type HTMLProperties,
  type LabelProperties,
  type PasswordProperties,
  type TextareaProperties,
  type TextProperties
} from './text.generated.ts';

/** A text box of one line; `on('submit')` reports the Enter key. */
export class Text extends widgetClass<TextProperties>(textSpec) {}

/** A text box of several lines. */
export class Textarea extends widgetClass<TextareaProperties>(textareaSpec) {}

/** A text box that hides its text, which is nevertheless saved like any other value. */
export class Password extends widgetClass<PasswordProperties>(passwordSpec) {}

const keepOption: Settle<ComboboxProperties> = ({ ensure_option, options, value }, changed, what) => {
  if (ensure_option && value !== '' && changed.has('value') && !options.includes(value))
    throw new RangeError(`${what}.value must be one of its options, not '${value}'`);
};

/** A text box of one line with suggestions. */
export class Combobox extends widgetClass<ComboboxProperties>(comboboxSpec, keepOption) {}

/** Text that is displayed, with TeX between dollar signs. */
export class Label extends widgetClass<LabelProperties>(labelSpec) {}

/** HTML that is displayed. */
export class HTML extends widgetClass<HTMLProperties>(htmlSpec) {}

/** HTML that is displayed, with TeX between dollar signs. */
export class HTMLMath extends widgetClass<HTMLMathProperties>(htmlMathSpec) {}
