/** Axes and buttons of a game controller, whose models the page opens when a controller is connected. */

import { registerPageClass } from '../model/page-widgets.ts';
import { widgetClass } from '../model/widget-class.ts';
import * as specs from './controller-parts.generated.ts';

/** An axis of a game controller, from -1 to 1. */
export class ControllerAxis extends widgetClass(specs.controllerAxisSpec) {}

/** A button of a game controller, from 0 to 1. */
export class ControllerButton extends widgetClass(specs.controllerButtonSpec) {}

for (const [{ names }, type] of [
  [specs.controllerAxisSpec, ControllerAxis],
  [specs.controllerButtonSpec, ControllerButton]
] as const)
  registerPageClass(names._model_module, names._model_name, type);
