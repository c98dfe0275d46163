/** The trait of one end of a link that runs in the page. */

import { packReferences, unpackReferences } from '../model/references.ts';
import type { Trait } from '../model/traits.ts';
import { isWidget, type Widget } from '../model/widget.ts';

/** Returns the trait: a widget and the name of one of its properties that is synchronized with the page. */
export function linkEnd(): Trait<readonly [Widget, string]> {
  return {
    initial() {
      throw new TypeError(
        'A link needs its source and its target: two pairs of a widget and a property name'
      );
    },
    check(value, what) {
      const [widget, name, ...rest] = Array.isArray(value) ? (value as unknown[]) : [];
      if (!isWidget(widget) || typeof name !== 'string' || rest.length > 0)
        throw new TypeError(`${what} must be a pair of a widget and the name of one of its properties`);
      if (!(name in widget.state()))
        throw new TypeError(
          `${what}: ${widget.constructor.name} has no property "${name}" that is synchronized with the page`
        );
      return Object.freeze([widget, name] as const);
    },
    toJson: packReferences,
    fromJson: unpackReferences
  };
}
