/** Widgets that a page opens: of a registered class, or a bare model that stores the page's state. */

import type { JsonObject } from '../../protocol/messages.ts';
import { joinBuffers } from './buffer-paths.ts';
import type { Comm, CommMessage } from './comm-manager.ts';
import { anything, type Trait } from './traits.ts';
import { isPlainObject } from './values.ts';
import { Widget } from './widget.ts';
import type { WidgetNames, WidgetSpec } from './widget-spec.ts';

type PageClass = new () => Widget;

const classes = new Map<string, PageClass>();

/** Registers the class to create when a page opens a model of this module and name. */
export function registerPageClass(module: string, name: string, type: PageClass): void {
  classes.set(`${module} ${name}`, type);
}

export function openFromPage(comm: Comm, { data, metadata, buffers }: CommMessage): void {
  const { version } = metadata;
  const { state, buffer_paths: paths } = data;
  if (typeof version !== 'string' || !version.startsWith('2.') || !isPlainObject(state)) {
    comm.close();
    return;
  }
  joinBuffers(state, paths, buffers);
  const type = classes.get(`${String(state['_model_module'])} ${String(state['_model_name'])}`);
  Widget.adopt(() => (type === undefined ? bareWidget(state) : new type()), comm, state);
}

/** Creates a model for a class that the kernel does not know. */
function bareWidget(state: JsonObject): Widget {
  const names: Record<string, unknown> = {};
  const traits: Record<string, Trait<unknown>> = {};
  for (const [name, value] of Object.entries(state)) {
    if (/^_(model|view)_(module|module_version|name)$/.test(name)) names[name] = value;
    else traits[name] = anything<unknown>(null);
  }
  const spec: WidgetSpec<Record<string, unknown>> = { names: names as unknown as WidgetNames, traits };
  return new Widget(spec, () => {});
}
