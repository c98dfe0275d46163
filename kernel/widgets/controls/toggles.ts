/** What is pressed, and what is on or off. */

import { widgetClass } from '../model/widget-class.ts';
import {
  buttonSpec,
  checkboxSpec,
  toggleButtonSpec,
  validSpec,
  type ButtonProperties,
  type CheckboxProperties,
  type ToggleButtonProperties,
  type ValidProperties
} from './toggles.generated.ts';

/** A button; `on('click')` tells when it is pressed. */
export class Button extends widgetClass<ButtonProperties>(buttonSpec) {
  /** Does what a press in the page does. */
  click(): void {
    this.emit('click', { event: 'click' });
  }
}

/** A box that is ticked or not. */
export class Checkbox extends widgetClass<CheckboxProperties>(checkboxSpec) {}

/** A button that stays down until it is pressed again. */
export class ToggleButton extends widgetClass<ToggleButtonProperties>(toggleButtonSpec) {}

/** A sign that something is valid, or what it says otherwise. */
export class Valid extends widgetClass<ValidProperties>(validSpec) {}
