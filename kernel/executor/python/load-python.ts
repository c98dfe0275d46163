/** Loads the library's Python, which few notebooks use. */

import type { PythonNotebook } from '../../../src/python/interpreter/notebook.ts';
import { publishDisplay } from '../front/publish.ts';

export async function loadPython() {
  const [{ python }, { handleOf, interpreterOf }, { notebookOf }] = await Promise.all([
    import('../../../src/python/python.ts'),
    import('../../../src/python/interpreter/object.ts'),
    import('../../../src/python/interpreter/notebook.ts')
  ]);
  return { python, handleOf, interpreterOf, notebookOf };
}

/** Returns the notebook's Python; starts it if needed. */
export async function notebookPython(): Promise<PythonNotebook> {
  const { python, interpreterOf, notebookOf } = await loadPython();
  return notebookOf(interpreterOf(python.builtins)!);
}

/** Shows the figures that Python code of the cell left open; called if Python runs. Reports those that cannot be drawn. */
export async function showFigures(): Promise<void> {
  const python = await notebookPython();
  try {
    for (const bundle of python.openFigures()) publishDisplay(bundle);
  } catch (error) {
    process.stderr.write(`Cannot draw a figure: ${(error as Error).message}\n`);
  }
}
