/** Shows figures that Python code of a cell left open, at the end of the cell. */

import { publishDisplay } from '../front/publish.ts';

/** Shows the open figures; called if Python runs. Reports figures that cannot be drawn. */
export async function showFigures(): Promise<void> {
  const [{ python }, { interpreterOf }, { notebookOf }] = await Promise.all([
    import('../../../src/python/python.ts'),
    import('../../../src/python/interpreter/object.ts'),
    import('../../../src/python/interpreter/notebook.ts')
  ]);
  try {
    for (const bundle of notebookOf(interpreterOf(python.builtins)!).openFigures()) publishDisplay(bundle);
  } catch (error) {
    process.stderr.write(`A figure was not drawn: ${(error as Error).message}\n`);
  }
}
