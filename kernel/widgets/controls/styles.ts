/** Colours, fonts and widths of the parts of a control. */

import { widgetClass } from '../model/widget-class.ts';
import * as specs from './styles.generated.ts';

/** The style of a control's description. */
export class DescriptionStyle extends widgetClass(specs.descriptionStyleSpec) {}
/** The style of a `Button`: colours and font. */
export class ButtonStyle extends widgetClass(specs.buttonStyleSpec) {}
/** The style of a `Checkbox`: background and description. */
export class CheckboxStyle extends widgetClass(specs.checkboxStyleSpec) {}
/** The style of `HTML`: background and font. */
export class HTMLStyle extends widgetClass(specs.htmlStyleSpec) {}
/** The style of `HTMLMath`: background and font. */
export class HTMLMathStyle extends widgetClass(specs.htmlMathStyleSpec) {}
/** The style of a `Label`: background and font. */
export class LabelStyle extends widgetClass(specs.labelStyleSpec) {}
/** The style of a progress bar: its colour and its description. */
export class ProgressStyle extends widgetClass(specs.progressStyleSpec) {}
/** The style of a slider: the colour of its handle and its description. */
export class SliderStyle extends widgetClass(specs.sliderStyleSpec) {}
/** The style of a text box: background and font. */
export class TextStyle extends widgetClass(specs.textStyleSpec) {}
/** The style of a `ToggleButton`: font and description. */
export class ToggleButtonStyle extends widgetClass(specs.toggleButtonStyleSpec) {}
/** The style of `ToggleButtons`: the buttons' width, font and description. */
export class ToggleButtonsStyle extends widgetClass(specs.toggleButtonsStyleSpec) {}
