/** Game controllers. The page opens the models of axes and buttons when one is connected. */

import { registerPageClass } from '../page-widgets.ts';
import { widgetClass } from '../widget-class.ts';
import {
  controllerAxisSpec,
  controllerButtonSpec,
  controllerSpec,
  type ControllerAxisProperties,
  type ControllerButtonProperties,
  type ControllerProperties
} from './generated/controller.ts';

/** A stick's axis, from -1 to 1. */
export class ControllerAxis extends widgetClass<ControllerAxisProperties>(controllerAxisSpec) {}

/** A button, from 0 to 1. */
export class ControllerButton extends widgetClass<ControllerButtonProperties>(controllerButtonSpec) {}

/** The controller with this `index`; the browser tells of it once a button was pressed. */
export class Controller extends widgetClass<ControllerProperties>(controllerSpec) {}

for (const type of [ControllerAxis, ControllerButton]) {
  const spec = type === ControllerAxis ? controllerAxisSpec : controllerButtonSpec;
  registerPageClass(spec.names._model_module, spec.names._model_name, type);
}
