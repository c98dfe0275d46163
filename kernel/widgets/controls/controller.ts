/** Game controllers. */

import { widgetClass } from '../widget-class.ts';
import { controllerSpec, type ControllerProperties } from './generated/controller.ts';

/** The controller with this `index`; the browser tells of it once a button was pressed. */
export class Controller extends widgetClass<ControllerProperties>(controllerSpec) {}
