/** Widgets whose page half is a user's ES module, as defined by anywidget's front-end module convention. */

import { createHash } from 'node:crypto';
import { domWidgetTraits, type DOMWidgetProperties } from '../controls/dom-widget.generated.ts';
import { packer } from '../model/references.ts';
import { anything, text, withOptions, type Trait } from '../model/traits.ts';
import { Widget, type WidgetOptions } from '../model/widget.ts';
import { defineProperties } from '../model/widget-class.ts';
import { ownNames, type WidgetSpec } from '../model/widget-spec.ts';
import { answerCommand, type Command } from './commands.ts';
import { sourceOf, watchSource, type Source } from './source.ts';

/** The properties that every anywidget has. */
export interface AnyWidgetProperties extends DOMWidgetProperties {
  /** The module's text or URL; assigning it reloads the module in every page. */
  _esm: string;
  /** The style sheet's text or URL. */
  _css: string;
  /** Identifies the style sheet, which widgets with the same id share. */
  _anywidget_id: string;
}

/** The definition of an anywidget: the statics of its class. */
export interface AnyWidgetDefinition {
  /** The ES module: its text, a URL, or a path that is reloaded when the file changes. */
  readonly _esm: string | URL;
  /** The style sheet: its text, a URL, or a path that is reloaded when the file changes. */
  readonly _css?: string | URL | undefined;
  /** The properties that are synchronized with the page, with their initial values. */
  readonly _state?: object | undefined;
  /** Functions that the module can call with `experimental.invoke`, by name. */
  readonly _commands?: Readonly<Record<string, Command>> | undefined;
  /** Properties whose changes by a page are not sent to other views, because they are large or change often. */
  readonly _no_echo?: readonly string[] | undefined;
}

/** Module of a class that does not define one. */
const NO_MODULE = `export default {
  render({ el }) {
    el.textContent = 'This widget has no module: give its class a static _esm.';
  }
};`;

/**
 * A widget whose page half is an ES module, as in anywidget. Derive a class with static `_esm`, `_css` and `_state`, or call `anywidget`.
 * Read and assign its state as properties; use `get` and `set` for state that has the name of a method.
 */
export class AnyWidget<State extends object = Record<string, unknown>> extends Widget<
  AnyWidgetProperties & State
> {
  /** The ES module: its text, a URL, or a path that is reloaded when the file changes. */
  static _esm: string | URL = NO_MODULE;
  /** The style sheet: its text, a URL, or a path that is reloaded when the file changes. */
  static _css: string | URL | undefined = undefined;
  /** The properties that are synchronized with the page, with their initial values. */
  static _state: object | undefined = undefined;
  /** Functions that the module can call with `experimental.invoke`, by name. */
  static _commands: Readonly<Record<string, Command>> | undefined = undefined;
  /** Properties whose changes by a page are not sent to other views, because they are large or change often. */
  static _no_echo: readonly string[] | undefined = undefined;

  /** Creates the widget. `state` sets values of this widget only. Throws `Error` for a file that cannot be read. */
  constructor(state: Partial<State> & object = {}, definition: AnyWidgetDefinition = new.target) {
    const esm = sourceOf(definition._esm);
    const css = definition._css === undefined ? undefined : sourceOf(definition._css);
    const options = { ...state, _esm: esm.text, _css: css?.text ?? '', _anywidget_id: styleId(esm, css) };
    super(specOf<State>({ ...definition._state, ...state }, definition._no_echo ?? []), () => {}, options);
    const names = Object.keys({ ...definition._state, ...state });
    defineProperties(
      this,
      names.filter(name => !(name in AnyWidget.prototype) && !Object.hasOwn(this, name))
    );
    const commands = definition._commands;
    if (commands !== undefined)
      this.on('msg', (content, buffers) => answerCommand(this, commands, content, buffers));
    this.#follow('_esm', esm);
    this.#follow('_css', css);
  }

  #follow(name: '_esm' | '_css', source: Source | undefined): void {
    if (source?.file === undefined) return;
    const watching = watchSource(source.file, found =>
      this.set({ [name]: found } as unknown as WidgetOptions<AnyWidgetProperties & State>)
    );
    this.on('close', () => watching[Symbol.dispose]());
  }
}

/** Other modules find a widget with a module by anywidget's form of reference, all others as widget managers do. */
const packState = packer(widget => (widget instanceof AnyWidget ? 'anywidget:' : 'IPY_MODEL_'));

function specOf<State extends object>(
  state: object,
  silent: readonly string[]
): WidgetSpec<AnyWidgetProperties & State> {
  const own: Record<string, Trait<unknown>> = {};
  for (const [name, value] of Object.entries(state)) {
    if (/^_(?:model|view)_|^_(?:esm|css|anywidget_id|dom_classes)$|^layout$/.test(name))
      throw new TypeError(`A widget's state cannot have a property named "${name}": the protocol uses it`);
    const kind = { ...anything<unknown>(value), toJson: packState };
    own[name] = silent.includes(name) ? withOptions(kind, { echo: false }) : kind;
  }
  const traits = { ...domWidgetTraits, _esm: text(''), _css: text(''), _anywidget_id: text(''), ...own };
  // The model is in this package's extension: any version of anywidget's Python package may be installed as well.
  return {
    names: ownNames('Any'),
    traits: traits as unknown as WidgetSpec<AnyWidgetProperties & State>['traits']
  };
}

function styleId(esm: Source, css: Source | undefined): string {
  const source = css ?? esm;
  const digest = createHash('sha1').update(source.file ?? source.text);
  return `stridelab-${digest.digest('hex').slice(0, 16)}`;
}

/** Options of `anywidget`. */
export interface AnyWidgetOptions<State extends object> {
  /** The ES module: its text, a URL, or a path that is reloaded when the file changes. */
  readonly esm: string | URL;
  /** The style sheet: its text, a URL, or a path that is reloaded when the file changes. */
  readonly css?: string | URL;
  /** The properties that are synchronized with the page, with their initial values. */
  readonly state?: State;
  /** Functions that the module can call with `experimental.invoke`, by name. */
  readonly commands?: Readonly<Record<string, Command>>;
  /** Properties whose changes by a page are not sent to other views, because they are large or change often. */
  readonly no_echo?: readonly (keyof State & string)[];
}

/** Widens literal types: `{ value: 0 }` declares a number that may change. */
type Widened<State> = {
  -readonly [Name in keyof State]: State[Name] extends number
    ? number
    : State[Name] extends string
      ? string
      : State[Name] extends boolean
        ? boolean
        : State[Name];
};

/**
 * Makes a widget from an ES module: `anywidget({ esm: 'export default { render({ model, el }) { … } }', state: { value: 0 } })`. `esm` and
 * `css` are text, a URL, or a path that is reloaded when the file changes.
 */
export function anywidget<State extends object = Record<never, never>>({
  esm,
  css,
  state,
  commands,
  no_echo
}: AnyWidgetOptions<State>): AnyWidget<Widened<State>> & Omit<Widened<State>, keyof Widget> {
  const definition = { _esm: esm, _css: css, _state: state, _commands: commands, _no_echo: no_echo };
  return new AnyWidget<Widened<State>>({}, definition) as AnyWidget<Widened<State>> &
    Omit<Widened<State>, keyof Widget>;
}
