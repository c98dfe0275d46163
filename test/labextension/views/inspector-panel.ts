/** Inspector panels in a page without a kernel: their visible content and controls. */

import type { LookPanel } from '../../../labextension/src/views/array/panel/panel.ts';
import { createChangeMarks, type ChangeMarks } from '../../../labextension/src/views/kit/change-marks.ts';
import { createFrame, type Frame } from '../../../labextension/src/views/kit/framed.ts';
import type { Channel } from '../../../labextension/src/views/kit/view.ts';
import type { Parameters } from '../../../src/pictures/kit/live-messages.ts';
import type { ArrayDescription } from '../../../src/pictures/array/schema.ts';

export let host: HTMLElement;
export let marks: ChangeMarks;
/** Requests to the kernel, and its responses. */
export const kernel: {
  asked: { readonly method: string; readonly parameters: Parameters }[];
  answer: (method: string, parameters: Parameters) => Parameters;
} = { asked: [], answer: () => ({}) };

/** The frame of the panel, and one without a kernel. */
export let frame: Frame;
export let still: Frame;
let ended: AbortController;
const channel: Channel = {
  request(method, parameters = {}) {
    kernel.asked.push({ method, parameters });
    return new Promise(resolve => resolve({ content: kernel.answer(method, parameters), buffers: [] }));
  },
  onPush: () => () => undefined
};
export const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
export const all = (selector: string): HTMLElement[] => [...host.querySelectorAll<HTMLElement>(selector)];
export const one = (selector: string): HTMLElement => all(selector)[0] as HTMLElement;
export const text = (selector: string): string => one(selector)?.textContent ?? '';
export const visible = (node: HTMLElement | undefined): boolean =>
  node !== undefined && node.closest('[hidden]') === null;
export const button = (name: string): HTMLElement =>
  all('button').find(({ title, textContent }) => [title, textContent].includes(name)) as HTMLElement;
export const press = (key: string, more: KeyboardEventInit = {}): void => {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  );
};
export const enter = (label: string, value: string): void => {
  const field = all('label')
    .find(({ textContent }) => textContent === label)
    ?.querySelector('input');
  if (!field) throw new Error(`no field ${label}`);
  if (field.type === 'checkbox') field.checked = value === 'on';
  else field.value = value;
  field.dispatchEvent(new Event('change'));
};

export async function open(panel: LookPanel, array: ArrayDescription, connected = true): Promise<LookPanel> {
  frame.connected = connected;
  host.append(panel.element);
  panel.update(array);
  panel.opened();
  await settle();
  return panel;
}

/** Gives each test of the file an empty element, without requests. */
export function inPanel(): void {
  beforeEach(() => {
    host = document.createElement('div');
    document.body.append(host);
    kernel.asked = [];
    marks = createChangeMarks();
    ended = new AbortController();
    frame = createFrame('inspector', channel, ended.signal);
    still = createFrame('inspector', undefined, ended.signal);
  });
  afterEach(() => {
    ended.abort();
    host.remove();
  });
}
