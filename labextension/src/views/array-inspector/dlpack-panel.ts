/** The DLPack device: what `__dlpack_device__()` answers, and which device that means. */

import { element, setAttribute } from '../dom.ts';
import { formatBytes } from './format.ts';
import type { Panel, PanelContext } from './panel.ts';

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

  const table = element(
    'table',
    { class: 'stridelab-table stridelab-facts' },
    element('caption', {}, phrases.__('The device as DLPack names it')),
    element('tbody', {}, ...rows)
  );
  return {
    element: table,
    update({ dlpack, device }) {
      setAttribute(table, 'data-simulated', String(device.simulated));
      writePair(`[${dlpack.type}, ${dlpack.id}]`);
      writeType(phrases.__('%1 = %2', dlpack.typeName, dlpack.type));
      writeId(String(dlpack.id));
      writeMeaning(dlpack.meaning);
      writeDevice(
        device.simulated
          ? phrases.__('%1, %2 (simulated)', device.label, device.name)
          : phrases.__('%1, %2', device.label, device.name)
      );
      writeMemory(formatBytes(device.totalBytes));
    }
  };
}
