/** Runs cells and lines of Python, in the library's interpreter. */

import type { PythonNotebook } from '../../../src/python/interpreter/notebook.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../../src/notebook/host.ts';
import { pythonArguments } from '../../protocol/python-magic.ts';
import { publishDisplay } from '../front/publish.ts';
import { notebookPython } from '../python/load-python.ts';
import { toStderr } from './commands.ts';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

export const pythonMagics: MagicTable<'%%python' | '%python'> = {
  '%%python': {
    usage: '%%python [-i NAME,…] [-o NAME,…]',
    summary: 'Runs the rest of the cell in Python; -i passes variables in, -o brings variables back',
    run: async call => {
      const { inputs, outputs, unknown } = pythonArguments(call.argument);
      if (unknown !== '') throw new MagicError(`%%python: expected -i NAME,… or -o NAME,…, not "${unknown}"`);
      const odd = [...inputs, ...outputs].find(name => !IDENTIFIER.test(name));
      if (odd !== undefined) throw new MagicError(`%%python: ${odd} is not a Python identifier`);
      const missing = inputs.find(name => !call.names.has(name));
      if (missing !== undefined) throw new MagicError(`%%python: the notebook has no variable ${missing}`);
      const python = await notebookPython();
      for (const name of inputs) python.assign(name, call.names.value(name));
      const bundle = await runPython(python, call, call.body, 1);
      if (bundle !== undefined) call.result({ [DISPLAY_METHOD]: () => bundle });
      if (outputs.length === 0) return;
      const values = python.values(outputs);
      call.declare(new Map(outputs.map((name, index) => [name, values[index]])));
    }
  },
  '%python': {
    usage: '%python STATEMENT',
    summary: 'Runs a line of Python, and shows the value of an expression',
    run: async call => {
      const bundle = await runPython(await notebookPython(), call, call.argument, 0);
      if (bundle !== undefined) publishDisplay(bundle);
    }
  }
};

/** Runs Python that begins `below` lines below its magic. Returns undefined if it has no value to show. */
async function runPython(
  python: PythonNotebook,
  { cell: { source: text, label }, magic, signal }: MagicCall,
  source: string,
  below: number
): Promise<MimeBundle | undefined> {
  const linesBefore = text.slice(0, magic.start).split('\n').length - 1 + below;
  const shown = await python.run({ source, label, linesBefore, text }, signal);
  shown?.problems.forEach(problem => toStderr(`${problem}\n`));
  return shown?.bundle;
}
