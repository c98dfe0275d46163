/** Cells and lines of Python, in the Python that the library holds. */

import type { PythonNotebook } from '../../../src/python/interpreter/notebook.ts';
import { DISPLAY_METHOD } from '../../../src/notebook/host.ts';
import { pythonArguments } from '../../protocol/python-magic.ts';
import { publishDisplay } from '../front/publish.ts';
import { toStderr } from './commands.ts';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

export const pythonMagics: MagicTable<'%%python' | '%python'> = {
  '%%python': {
    usage: '%%python [-i NAME,…] [-o NAME,…]',
    summary:
      'Runs the rest of the cell in Python, with variables of the notebook (-i), and brings back others (-o)',
    run: async call => {
      const { inputs, outputs, unknown } = pythonArguments(call.argument);
      if (unknown !== '') throw new MagicError(`%%python takes -i and -o with names, not "${unknown}"`);
      const odd = [...inputs, ...outputs].find(name => !IDENTIFIER.test(name));
      if (odd !== undefined) throw new MagicError(`%%python: ${odd} is no name in Python`);
      const missing = inputs.find(name => !call.names.has(name));
      if (missing !== undefined) throw new MagicError(`%%python: the notebook has no variable ${missing}`);
      const python = await notebookPython();
      for (const name of inputs) python.assign(name, call.names.value(name));
      const { cell, magic } = call;
      const linesBefore = cell.source.slice(0, magic.start).split('\n').length;
      const shown = await python.run(
        { source: call.body, label: cell.label, linesBefore, text: cell.source },
        call.signal
      );
      if (shown !== undefined) {
        shown.problems.forEach(problem => toStderr(`${problem}\n`));
        call.result({ [DISPLAY_METHOD]: () => shown.bundle });
      }
      if (outputs.length === 0) return;
      const values = python.values(outputs);
      call.declare(new Map(outputs.map((name, index) => [name, values[index]])));
    }
  },
  '%python': {
    usage: '%python STATEMENT',
    summary: 'Runs a line of Python, and shows the value of an expression',
    run: async call => {
      const shown = await (await notebookPython()).run(lineOf(call), call.signal);
      if (shown === undefined) return;
      shown.problems.forEach(problem => toStderr(`${problem}\n`));
      publishDisplay(shown.bundle);
    }
  }
};

function lineOf({ argument, cell, magic }: MagicCall): Parameters<PythonNotebook['run']>[0] {
  const linesBefore = cell.source.slice(0, magic.start).split('\n').length - 1;
  return { source: argument, label: cell.label, linesBefore, text: cell.source };
}

/** Starts Python where it does not run. */
async function notebookPython(): Promise<PythonNotebook> {
  const [{ python }, { interpreterOf }, { notebookOf }] = await Promise.all([
    import('../../../src/python/python.ts'),
    import('../../../src/python/interpreter/object.ts'),
    import('../../../src/python/interpreter/notebook.ts')
  ]);
  return notebookOf(interpreterOf(python.builtins)!);
}
