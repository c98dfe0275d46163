/** Colours, fonts and widths of the parts of a control. */

import { widgetClass } from '../model/widget-class.ts';
import {
  descriptionStyleSpec,
  type DescriptionStyleProperties,
  buttonStyleSpec,
  type ButtonStyleProperties,
  checkboxStyleSpec,
  type CheckboxStyleProperties,
  htmlStyleSpec,
  type HTMLStyleProperties,
  htmlMathStyleSpec,
  type HTMLMathStyleProperties,
  labelStyleSpec,
  type LabelStyleProperties,
  progressStyleSpec,
  type ProgressStyleProperties,
  sliderStyleSpec,
  type SliderStyleProperties,
  textStyleSpec,
  type TextStyleProperties,
  toggleButtonStyleSpec,
  type ToggleButtonStyleProperties,
  toggleButtonsStyleSpec,
  type ToggleButtonsStyleProperties
} from './styles.generated.ts';

/** The style of a control's description. */
export class DescriptionStyle extends widgetClass<DescriptionStyleProperties>(descriptionStyleSpec) {}
/** The style of a `Button`: colours and font. */
export class ButtonStyle extends widgetClass<ButtonStyleProperties>(buttonStyleSpec) {}
/** The style of a `Checkbox`: background and description. */
export class CheckboxStyle extends widgetClass<CheckboxStyleProperties>(checkboxStyleSpec) {}
/** The style of `HTML`: background and font. */
export class HTMLStyle extends widgetClass<HTMLStyleProperties>(htmlStyleSpec) {}
/** The style of `HTMLMath`: background and font. */
export class HTMLMathStyle extends widgetClass<HTMLMathStyleProperties>(htmlMathStyleSpec) {}
/** The style of a `Label`: background and font. */
export class LabelStyle extends widgetClass<LabelStyleProperties>(labelStyleSpec) {}
/** The style of a progress bar: its colour and its description. */
export class ProgressStyle extends widgetClass<ProgressStyleProperties>(progressStyleSpec) {}
/** The style of a slider: the colour of its handle and its description. */
export class SliderStyle extends widgetClass<SliderStyleProperties>(sliderStyleSpec) {}
/** The style of a text box: background and font. */
export class TextStyle extends widgetClass<TextStyleProperties>(textStyleSpec) {}
/** The style of a `ToggleButton`: font and description. */
export class ToggleButtonStyle extends widgetClass<ToggleButtonStyleProperties>(toggleButtonStyleSpec) {}
/** The style of `ToggleButtons`: the buttons' width, font and description. */
export class ToggleButtonsStyle extends widgetClass<ToggleButtonsStyleProperties>(toggleButtonsStyleSpec) {}
