/** The axes and buttons of a game controller, whose models the page opens when one is connected. */

import { registerPageClass } from '../model/page-widgets.ts';
import { widgetClass } from '../model/widget-class.ts';
import {
  controllerAxisSpec,
  controllerButtonSpec,
  type ControllerAxisProperties,
  type ControllerButtonProperties
} from './controller-parts.generated.ts';

/** An axis of a game controller, from -1 to 1. */
export class ControllerAxis extends widgetClass<ControllerAxisProperties>(controllerAxisSpec) {}

/** A button of a game controller, from 0 to 1. */
export class ControllerButton extends widgetClass<ControllerButtonProperties>(controllerButtonSpec) {}

for (const [{ names }, type] of [
  [controllerAxisSpec, ControllerAxis],
  [controllerButtonSpec, ControllerButton]
] as const)
  registerPageClass(names._model_module, names._model_name, type);
