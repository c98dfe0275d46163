/** Answers the front's questions about Python, without starting Python or running properties of its objects. */

import { types } from 'node:util';
import type { PythonMember } from '../../../src/python/interpreter/notebook.ts';
import type { PythonSubject } from '../../protocol/executor-messages.ts';
import type { NotebookNames } from '../transform/names.ts';
import { loadPython, notebookPython } from './load-python.ts';

/** Returns the answer; null if Python does not run or has none. */
export async function pythonAnswer(
  names: NotebookNames,
  runs: boolean,
  subject: PythonSubject
): Promise<unknown> {
  if (subject.about === 'attribute') {
    const found = await pythonObject(names, subject.path);
    return found?.notebook.describe(found.handle, found.path, subject.detail) ?? null;
  }
  if (!runs) return null;
  const notebook = await notebookPython();
  switch (subject.about) {
    case 'completions':
      return notebook.complete(subject.source, subject.cursor);
    case 'name':
      return notebook.inspect(subject.source, subject.cursor, subject.detail);
    case 'completeness':
      return notebook.completeness(subject.source);
  }
}

/** Returns the attributes of a Python object; undefined if the path leads to none, null if they are unknown. */
export async function pythonMembers(
  names: NotebookNames,
  path: readonly string[]
): Promise<readonly PythonMember[] | null | undefined> {
  const found = await pythonObject(names, path);
  return found?.notebook.members(found.handle, found.path);
}

/** Returns the notebook's variable if it is a Python object, and the rest of the path. */
async function pythonObject(names: NotebookNames, [root, ...path]: readonly string[]) {
  if (root === undefined || !names.has(root)) return undefined;
  const value = names.value(root);
  // Python objects are proxies of functions; for others the library need not be loaded.
  if (typeof value !== 'function' || !types.isProxy(value)) return undefined;
  const { handleOf, interpreterOf, notebookOf } = await loadPython();
  const [handle, interpreter] = [handleOf(value), interpreterOf(value)];
  if (handle === undefined || interpreter === undefined) return undefined;
  return { notebook: notebookOf(interpreter), handle, path };
}
