/** Buttons, check boxes and marks of validity. */

import { widgetClass } from '../model/widget-class.ts';
import * as specs from './toggles.generated.ts';

/** A button; `on('click')` reports presses. */
export class Button extends widgetClass(specs.buttonSpec) {
  /** Acts as if the button was pressed in the page. */
  click(): void {
    this.emit('click', { event: 'click' });
  }
}

/** A check box. */
export class Checkbox extends widgetClass(specs.checkboxSpec) {}

/** A button that stays pressed until it is pressed again. */
export class ToggleButton extends widgetClass(specs.toggleButtonSpec) {}

/** A mark that shows whether something is valid, with a text if it is not. */
export class Valid extends widgetClass(specs.validSpec) {}
