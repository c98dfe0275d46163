/** Game controllers. */

import { widgetClass } from '../model/widget-class.ts';
import { controllerSpec, type ControllerProperties } from './controller.generated.ts';

/** The controller with this `index`; the browser tells of it once a button was pressed. */
export class Controller extends widgetClass<ControllerProperties>(controllerSpec) {}
