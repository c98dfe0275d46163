/** Game controllers. */

import { widgetClass } from '../model/widget-class.ts';
import * as specs from './controller.generated.ts';

/** A game controller by its `index`; the browser reports it after one of its buttons was pressed. */
export class Controller extends widgetClass(specs.controllerSpec) {}
