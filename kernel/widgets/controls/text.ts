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

/** A line of text; `on('submit')` tells of the Enter key. */
export class Text extends widgetClass<TextProperties>(textSpec) {}

/** Lines of text. */
export class Textarea extends widgetClass<TextareaProperties>(textareaSpec) {}

/** A line of text that nobody sees. It is saved as any other value. */
export class Password extends widgetClass<PasswordProperties>(passwordSpec) {}

const keepOption: Settle<ComboboxProperties> = ({ ensure_option, options, value }, changed, what) => {
  if (ensure_option && value !== '' && changed.has('value') && !options.includes(value))
    throw new RangeError(`${what}.value must be one of its options, not '${value}'`);
};

/** A line of text with suggestions. */
export class Combobox extends widgetClass<ComboboxProperties>(comboboxSpec, keepOption) {}

/** A line that is only shown; TeX between dollar signs is set as mathematics. */
export class Label extends widgetClass<LabelProperties>(labelSpec) {}

/** HTML that is only shown. */
export class HTML extends widgetClass<HTMLProperties>(htmlSpec) {}

/** HTML that is only shown; TeX between dollar signs is set as mathematics. */
export class HTMLMath extends widgetClass<HTMLMathProperties>(htmlMathSpec) {}
