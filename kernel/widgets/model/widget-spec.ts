/** The specification of a widget class: its names in the protocol and its properties. */

import { createRequire } from 'node:module';
import type { Trait } from './traits.ts';

/** The state entries that identify a widget's classes in the page; versions are semver ranges of the named module. */
export interface WidgetNames {
  /** The npm package with the model's class. */
  readonly _model_module: string;
  /** The semver range of the model's package. */
  readonly _model_module_version: string;
  /** The name of the model's class. */
  readonly _model_name: string;
  /** The npm package with the view's class. */
  readonly _view_module: string;
  /** The semver range of the view's package. */
  readonly _view_module_version: string;
  /** The name of the view's class; null for a model without a view. */
  readonly _view_name: string | null;
}

const { version } = createRequire(import.meta.url)('#package') as { version: string };

/** Returns the names of a model of this package's extension: `AnyModel` and `AnyView` for `Any`. */
export function ownNames(name: string): WidgetNames {
  return {
    _model_module: 'stridelab',
    _model_module_version: `^${version}`,
    _model_name: `${name}Model`,
    _view_module: 'stridelab',
    _view_module_version: `^${version}`,
    _view_name: `${name}View`
  };
}

/** A widget class: its names in the page and its properties. */
export interface WidgetSpec<Properties extends object> {
  /** The names of its classes in the page. */
  readonly names: WidgetNames;
  /** The type and the default of each property. */
  readonly traits: { readonly [Name in keyof Properties]-?: Trait<Properties[Name]> };
}

/**
 * Adjusts values to each other after some of them changed, or throws for a combination that is not allowed. `what` is the class name, for
 * messages.
 */
export type Settle<Properties extends object> = (
  values: { -readonly [Name in keyof Properties]: Properties[Name] },
  changed: ReadonlySet<keyof Properties>,
  what: string
) => void;
