/** Creates widget classes from their specification, with an accessor for each property. */

import { Widget, type WidgetOptions } from './widget.ts';
import type { Settle, WidgetSpec } from './widget-spec.ts';

/** A class of widgets with the properties of a spec. */
export interface WidgetClass<Properties extends object> {
  new (options?: WidgetOptions<Properties>): Widget<Properties> & Properties;
}

/** Creates a base class with the properties of `spec`; `settle` adjusts values to each other. */
export function widgetClass<Properties extends object>(
  spec: WidgetSpec<Properties>,
  settle: Settle<NoInfer<Properties>> = () => {}
): WidgetClass<Properties> {
  class Specified extends Widget<Properties> {
    constructor(options?: WidgetOptions<Properties>) {
      super(spec, settle, options);
    }
  }
  defineProperties(Specified.prototype, Object.keys(spec.traits));
  return Specified as unknown as WidgetClass<Properties>;
}

/** Defines accessors for the properties. */
export function defineProperties(holder: object, names: readonly string[]): void {
  for (const name of names) {
    Object.defineProperty(holder, name, {
      configurable: true,
      enumerable: true,
      get(this: Widget<Record<string, unknown>>) {
        return this.get(name);
      },
      set(this: Widget<Record<string, unknown>>, value: unknown) {
        this.set({ [name]: value });
      }
    });
  }
}
