/** Game controllers. */

import { widgetClass } from '../model/widget-class.ts';
import { controllerSpec, type ControllerProperties } from './controller.generated.ts';

/** A game controller by its `index`; the browser reports it after one of its buttons was pressed. */
export class Controller extends widgetClass<ControllerProperties>(controllerSpec) {}
