/** The compiler's messages, with their lines shown and placed in the notebook. */

import { notebookHost } from '../notebook.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
  /** Line of the CUDA source, from 1. */
  readonly line: number;
  /** Where that line stands in the notebook; null in a plain program and for text that was put together. */
  readonly place: { readonly cell: string; readonly line: number } | null;
}

const MESSAGE =
  /^(?<file>.*?)\((?<line>\d+)\):\s*(?:catastrophic )?(?<severity>error|warning|remark|note)(?:\s*#[\w-]+)?:\s*(?<text>.*)$/;

/** Messages about `name`, in order; those about included headers are left to the log. */
export function parseLog(log: string, name: string, source: string): Diagnostic[] {
  const start = notebookHost()?.locate?.(source) ?? null;
  return log.split('\n').flatMap(text => {
    const found = MESSAGE.exec(text)?.groups;
    if (found === undefined || found['file'] !== name) return [];
    const line = Number(found['line']);
    const severity = found['severity'] === 'remark' ? 'note' : (found['severity'] as Diagnostic['severity']);
    const place = start === null ? null : { cell: start.cell, line: start.line + line - 1 };
    return [{ severity, message: found['text'] as string, line, place }];
  });
}

/** One message with its place and its line of source. */
export function formatDiagnostic({ severity, message, line, place }: Diagnostic, source: string): string {
  const text = source.split('\n')[line - 1]?.trimEnd() ?? '';
  const where = place === null ? `line ${line}` : `${place.cell}, line ${place.line}`;
  const number = String(place?.line ?? line);
  return `${where}: ${severity}: ${message}\n  ${number} | ${text}`;
}
