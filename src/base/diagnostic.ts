/** Messages of the CUDA C++ compiler. */

/** One message of the CUDA C++ compiler. */
export interface Diagnostic {
  /** How serious it is. */
  readonly severity: 'error' | 'warning' | 'note';
  /** The compiler's text; further lines list candidates and instantiations. */
  readonly message: string;
  /** The line of the CUDA source, from 1. */
  readonly line: number;
  /** The position in the notebook; null in a program, and for source text that was assembled at run time. */
  readonly place: { readonly cell: string; readonly line: number } | null;
}
