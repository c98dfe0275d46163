/** Parses and formats the compiler's messages, with their source lines and positions in the notebook. */

import { notebookHost } from '../notebook/host.ts';
import type { Diagnostic } from '../base/diagnostic.ts';

const MESSAGE =
  /^(?:(?<file>.*?)\((?<line>\d+)\)|At end of source):\s*(?:catastrophic )?(?<severity>error|warning|remark|note)(?:\s*#[\w-]+)?:\s*(?<text>.*)$/;

/** Returns the lines of a message after its first ("argument types are", "detected during instantiation"), without source line and caret. */
function continuation(lines: readonly string[], start: number): string[] {
  const more: string[] = [];
  for (let at = start; at < lines.length; at++) {
    const text = lines[at]!;
    if (text.trim() === '' || MESSAGE.test(text)) break;
    if (/^\s*\^/.test(text)) more.pop();
    else more.push(text.trim());
  }
  return more;
}

/** Parses the messages about `name`, in order; messages about included headers stay in the log. */
export function parseLog(log: string, name: string, source: string): Diagnostic[] {
  const start = notebookHost()?.locate?.(source) ?? null;
  const lines = log.split('\n');
  return lines.flatMap((text, at) => {
    const found = MESSAGE.exec(text)?.groups;
    if (found === undefined || (found['file'] ?? name) !== name) return [];
    const line = found['line'] === undefined ? source.trimEnd().split('\n').length : Number(found['line']);
    const severity = found['severity'] === 'remark' ? 'note' : (found['severity'] as Diagnostic['severity']);
    const message = [found['text']!, ...continuation(lines, at + 1)].join('\n');
    const place = start === null ? null : { cell: start.cell, line: start.line + line - 1 };
    return [{ severity, message, line, place }];
  });
}

export function formatDiagnostic({ severity, message, line, place }: Diagnostic, source: string): string {
  const text = source.split('\n')[line - 1]?.trimEnd() ?? '';
  const where = place === null ? `line ${line}` : `${place.cell}, line ${place.line}`;
  const number = String(place?.line ?? line);
  return `${where}: ${severity}: ${message.replaceAll('\n', '\n    ')}\n  ${number} | ${text}`;
}
