/** What a page does ahead of need: it loads pictures when a cell may show one, and has the kernel load types when a cell is edited. */

import { jest } from '@jest/globals';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Signal } from '@lumino/signaling';
import type EarlyTypes from '../../../labextension/src/plugins/early-types.ts';
import { pass, until } from '../../setup/until.ts';

/** Counts the times that the code of pictures was loaded. */
let loads = 0;
// JupyterLab's own code needs a browser.
jest.mock('@jupyterlab/notebook', () => ({ INotebookTracker: undefined }));
jest.unstable_mockModule('../../../labextension/src/views/array/array-picture.ts', () => {
  loads += 1;
  return {};
});

let earlyPictures: typeof EarlyTypes;
let earlyTypes: typeof EarlyTypes;
beforeAll(async () => {
  earlyPictures = (await import('../../../labextension/src/plugins/early-pictures.ts')).default;
  earlyTypes = (await import('../../../labextension/src/plugins/early-types.ts')).default;
});

/** A notebook with a kernel. */
class Panel {
  readonly iopubMessage = new Signal<Panel, object>(this);
  readonly stateChanged = new Signal<Panel, void>(this);
  readonly requests: object[] = [];
  mode = 'command';
  readonly kernel: object;
  readonly sessionContext: { iopubMessage: Signal<Panel, object>; session: { kernel: object | null } };
  readonly content: object;

  constructor(implementation: string) {
    this.kernel = {
      info: Promise.resolve({ implementation }),
      requestComplete: (content: object) => {
        this.requests.push(content);
        return Promise.reject(new Error('a kernel that exits'));
      }
    };
    this.sessionContext = { iopubMessage: this.iopubMessage, session: { kernel: this.kernel } };
    this.content = Object.defineProperty({ stateChanged: this.stateChanged }, 'mode', {
      get: () => this.mode
    });
  }

  tell(type: string, content: object): void {
    this.iopubMessage.emit({ header: { msg_type: type }, content });
  }

  edit(): void {
    this.mode = 'edit';
    this.stateChanged.emit();
    this.mode = 'command';
    this.stateChanged.emit();
  }
}

function activate(plugin: typeof EarlyTypes, open: readonly Panel[]): Signal<object, Panel> {
  const widgetAdded = new Signal<object, Panel>({});
  const tracker = { forEach: (act: (panel: Panel) => void) => open.forEach(act), widgetAdded };
  void plugin.activate({} as JupyterFrontEnd, tracker);
  return widgetAdded;
}

test('without notebooks nothing happens', () => {
  for (const plugin of [earlyTypes, earlyPictures])
    expect(() => plugin.activate({} as JupyterFrontEnd, null)).not.toThrow();
});

test('the code of pictures is loaded when a cell runs that may show one', async () => {
  const panel = new Panel('stridelab');
  activate(earlyPictures, []).emit(panel);
  panel.tell('status', { execution_state: 'busy' });
  panel.tell('execute_input', { code: 'console.log(1)' });
  panel.tell('stream', { code: "import 'stridelab'" });
  await pass(20, 'nothing may happen');
  expect(loads).toBe(0);
  panel.tell('execute_input', { code: "import { zeros } from 'stridelab';" });
  await until(() => loads === 1);
});

test('the first edit of a notebook asks the kernel for completions, which loads its types', async () => {
  const [ours, python] = [new Panel('stridelab'), new Panel('ipython')];
  activate(earlyTypes, [ours, python]);
  ours.stateChanged.emit();
  python.edit();
  ours.edit();
  ours.edit();
  await until(() => ours.requests.length > 0);
  expect(ours.requests).toEqual([{ code: 'globalThis.', cursor_pos: 11 }]);
  expect(python.requests).toEqual([]);
});

test('another kernel is asked again, and no kernel is not', async () => {
  const panel = new Panel('stridelab');
  activate(earlyTypes, [panel]);
  const next = new Panel('stridelab');
  panel.sessionContext.session.kernel = null;
  panel.edit();
  panel.sessionContext.session.kernel = next.kernel;
  panel.edit();
  await until(() => next.requests.length === 1);
  expect(panel.requests).toEqual([]);
});
