/** What `stridelab check` finds in a notebook. */

import type * as acorn from 'acorn';

/**
 * `syntax`: the cell does not parse; `module`: an import cannot be resolved; `magic`: a command of another kernel; `deno`: a member that our
 * `Deno` does not have; `name`: a name that nothing defines; `tag`: a comment with which another kernel changes what the cell is.
 */
export type FindingKind = 'syntax' | 'module' | 'magic' | 'deno' | 'name' | 'tag';

export interface Finding {
  readonly kind: FindingKind;
  readonly message: string;
  /** Number of the code cell, from 1. */
  readonly cell: number;
  /** Line in the cell or, for a script, in the file; from 1. */
  readonly line: number;
  /** Column from 1. */
  readonly column: number;
}

/** A finding in the code of a cell, before its place is known. */
export interface CodeFinding extends Pick<Finding, 'kind' | 'message'> {
  readonly node: acorn.AnyNode;
}

export interface NotebookFindings {
  /** The number of code cells. */
  readonly cells: number;
  readonly findings: readonly Finding[];
  /** Specifiers of the modules that are fetched when a cell imports them. */
  readonly fetched: readonly string[];
}

/** What the program that checks one notebook prints: its findings, or why the file cannot be checked. */
export type Answer = NotebookFindings | { readonly failure: string };
