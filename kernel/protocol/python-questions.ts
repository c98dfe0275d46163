/** What the front asks the executor about Python, which answers between two turns of its event loop, or not at all. */

export type PythonSubject =
  /** What an attribute is, at the end of a path of names that begins at a variable of the notebook. */
  | { readonly about: 'attribute'; readonly path: readonly string[]; readonly detail: number }
  /** Cursors count code points in the Python of a cell. */
  | { readonly about: 'completions'; readonly source: string; readonly cursor: number }
  | { readonly about: 'name'; readonly source: string; readonly cursor: number; readonly detail: number }
  | { readonly about: 'completeness'; readonly source: string };

export interface PythonQuestion {
  readonly kind: 'python';
  readonly id: number;
  readonly subject: PythonSubject;
}

export interface PythonAnswer {
  readonly kind: 'python';
  readonly id: number;
  /** As src/python/interpreter/notebook.ts gives it; null where Python does not run or knows nothing. */
  readonly answer: unknown;
}
