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

export class DescriptionStyle extends widgetClass<DescriptionStyleProperties>(descriptionStyleSpec) {}
export class ButtonStyle extends widgetClass<ButtonStyleProperties>(buttonStyleSpec) {}
export class CheckboxStyle extends widgetClass<CheckboxStyleProperties>(checkboxStyleSpec) {}
export class HTMLStyle extends widgetClass<HTMLStyleProperties>(htmlStyleSpec) {}
export class HTMLMathStyle extends widgetClass<HTMLMathStyleProperties>(htmlMathStyleSpec) {}
export class LabelStyle extends widgetClass<LabelStyleProperties>(labelStyleSpec) {}
export class ProgressStyle extends widgetClass<ProgressStyleProperties>(progressStyleSpec) {}
export class SliderStyle extends widgetClass<SliderStyleProperties>(sliderStyleSpec) {}
export class TextStyle extends widgetClass<TextStyleProperties>(textStyleSpec) {}
export class ToggleButtonStyle extends widgetClass<ToggleButtonStyleProperties>(toggleButtonStyleSpec) {}
export class ToggleButtonsStyle extends widgetClass<ToggleButtonsStyleProperties>(toggleButtonsStyleSpec) {}
