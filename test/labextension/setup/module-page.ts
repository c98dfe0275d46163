/** A page whose widgets have ES modules, which report events with `tell`. */

import type { WidgetModel } from '@jupyter-widgets/base';
import { MODULE_NAME, MODULE_VERSION } from '../../../labextension/src/models/version.ts';
import { pass } from '../../setup/until.ts';
import { RecordingComm, TestManager } from './widget-manager.ts';

/** Modules report events here. */
export const told: string[] = [];

/** Prepares the page before the tests of a file, and clears it before each. */
export function useModules(): void {
  beforeAll(() => {
    // jsdom has no object URLs; a data URL loads the module too.
    class TextBlob {
      readonly text: string;
      constructor(parts: string[]) {
        this.text = parts.join('');
      }
    }
    globalThis.Blob = TextBlob as unknown as typeof Blob;
    URL.createObjectURL = blob => dataUrl((blob as unknown as TextBlob).text);
    URL.revokeObjectURL = () => undefined;
    (globalThis as unknown as { tell: (what: string) => void }).tell = what => void told.push(what);
  });
  beforeEach(() => {
    told.length = 0;
    document.head.replaceChildren();
    document.body.replaceChildren();
  });
}

export const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

export const ourNames = {
  model_name: 'AnyModel',
  model_module: MODULE_NAME,
  model_module_version: `^${MODULE_VERSION}`,
  view_name: 'AnyView',
  view_module: MODULE_NAME,
  view_module_version: `^${MODULE_VERSION}`
};

let count = 0;

/** Opens a widget as the kernel would. */
export async function open<Model extends WidgetModel>(
  state: Record<string, unknown>,
  manager = new TestManager(),
  names = ourNames
) {
  count += 1;
  const id = `any-${count}`;
  const comm = new RecordingComm(id);
  const namesInState = Object.fromEntries(Object.entries(names).map(([key, name]) => [`_${key}`, name]));
  const model = (await manager.new_model(
    { ...names, comm, model_id: id },
    { ...namesInState, _anywidget_id: id, ...state }
  )) as Model;
  const show = async () => {
    const view = await manager.create_view(model);
    document.body.append(view.el);
    await settled();
    return view;
  };
  await settled();
  const update = (changes: Record<string, unknown>): Promise<void> =>
    comm.receive({ method: 'update', state: changes, buffer_paths: [] });
  return { manager, comm, model, show, update, reference: `anywidget:${id}` };
}

export const settled = (): Promise<void> => pass(20, 'answers come in later turns');
