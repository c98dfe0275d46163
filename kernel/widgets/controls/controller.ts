/** Game controllers. */

import { widgetClass } from '../model/widget-class.ts';
import * as specs from './controller.generated.ts';

/** A game controller by its `index`; the browser reports it once one of its buttons has been pressed. */
export class Controller extends widgetClass(specs.controllerSpec) {}
