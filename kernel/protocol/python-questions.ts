/** Questions of the front about Python, which the executor answers between two turns of its event loop, or not at all. */

export type PythonSubject =
  /** Describes an attribute at the end of a path of names that starts at a variable of the notebook. */
  | { readonly about: 'attribute'; readonly path: readonly string[]; readonly detail: number }
  /** Cursors count code points in the Python code of a cell. */
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
  /** The result of src/python/interpreter/notebook.ts; null if Python does not run or has no answer. */
  readonly answer: unknown;
}
