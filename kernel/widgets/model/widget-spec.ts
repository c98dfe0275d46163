/** What a class of widgets is: its names in the protocol and the kinds of its properties. */

import type { Trait } from './traits.ts';

/** The keys that every model must carry; versions are semver ranges of the named module. */
export interface WidgetNames {
  readonly _model_module: string;
  readonly _model_module_version: string;
  readonly _model_name: string;
  readonly _view_module: string;
  readonly _view_module_version: string;
  /** Null for a model that is never shown itself. */
  readonly _view_name: string | null;
}

export interface WidgetSpec<Properties extends object> {
  readonly names: WidgetNames;
  readonly traits: { readonly [Name in keyof Properties]-?: Trait<Properties[Name]> };
}

/**
 * Makes values fit each other after some changed: adjusts them, or throws for a combination that cannot be.
 * `what` is the class, for messages.
 */
export type Settle<Properties extends object> = (
  values: { -readonly [Name in keyof Properties]: Properties[Name] },
  changed: ReadonlySet<keyof Properties>,
  what: string
) => void;
