/** The DLPack device: what `__dlpack_device__()` answers, and which device that means. */

import { element } from '../dom.ts';
import { formatBytes } from './format.ts';
import type { Panel, PanelContext } from './panel.ts';

/** Stands where a freed array has no answer. */
const NOTHING = '–';

export function createDlpackPanel({ phrases, marks }: PanelContext): Panel {
  const rows: HTMLElement[] = [];
  const addRow = (name: string, isCode: boolean): ((text: string) => void) => {
    const value = element('td', { class: isCode ? 'stridelab-value' : 'stridelab-meaning' });
    rows.push(element('tr', {}, element('th', { scope: 'row' }, name), value));
    return text => marks.write(value, text, name);
  };
  const writePair = addRow('__dlpack_device__()', true);
  const writeType = addRow(phrases.__('Device type'), true);
  const writeId = addRow(phrases.__('Device id'), true);
  const writeMeaning = addRow(phrases.__('Meaning'), false);
  const writeDevice = addRow(phrases.__('Device'), false);
  const writeMemory = addRow(phrases.__('Device memory'), false);

  return {
    element: element(
      'table',
      { class: 'stridelab-table stridelab-facts' },
      element('caption', {}, phrases.__('The device as DLPack names it')),
      element('tbody', {}, ...rows)
    ),
    update({ dlpack, device, lifetime }) {
      const freed = lifetime === 'freed';
      writePair(freed ? NOTHING : `(${dlpack.type}, ${dlpack.id})`);
      writeType(freed ? NOTHING : phrases.__('%1 = %2', dlpack.typeName, dlpack.type));
      writeId(freed ? NOTHING : String(dlpack.id));
      writeMeaning(
        freed ? phrases.__('The memory was freed: there is nothing to hand over.') : dlpack.meaning
      );
      writeDevice(
        device.simulated
          ? phrases.__('%1, %2 (simulated)', device.label, device.name)
          : phrases.__('%1, %2', device.label, device.name)
      );
      writeMemory(formatBytes(device.totalBytes));
    }
  };
}
