/** One message of the CUDA C++ compiler. */

export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  /** In the compiler's words; further lines tell of candidates and instantiations. */
  readonly message: string;
  /** Line of the CUDA source, from 1. */
  readonly line: number;
  /** Where that line stands in the notebook; null in a plain program and for text that was put together. */
  readonly place: { readonly cell: string; readonly line: number } | null;
}
