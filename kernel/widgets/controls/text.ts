/** Text boxes and displayed text. */

import { widgetClass } from '../model/widget-class.ts';
import type { Settle } from '../model/widget-spec.ts';
import * as specs from './text.generated.ts';

/** A text box of one line; `on('submit')` reports the Enter key. */
export class Text extends widgetClass(specs.textSpec) {}

/** A text box of several lines. */
export class Textarea extends widgetClass(specs.textareaSpec) {}

/** A text box that hides its text, which is nevertheless saved like any other value. */
export class Password extends widgetClass(specs.passwordSpec) {}

const keepOption: Settle<specs.ComboboxProperties> = ({ ensure_option, options, value }, changed, what) => {
  if (ensure_option && value !== '' && changed.has('value') && !options.includes(value))
    throw new RangeError(`${what}.value must be one of its options, not '${value}'`);
};

/** A text box of one line with suggestions. */
export class Combobox extends widgetClass(specs.comboboxSpec, keepOption) {}

/** Text that is displayed, with TeX between dollar signs. */
export class Label extends widgetClass(specs.labelSpec) {}

/** HTML that is displayed. */
export class HTML extends widgetClass(specs.htmlSpec) {}

/** HTML that is displayed, with TeX between dollar signs. */
export class HTMLMath extends widgetClass(specs.htmlMathSpec) {}
