/** All diagnostics of a cell in one message: for terminals, pages and programs. */

import { formatCounted } from '../../../src/base/count-text.ts';
import { escape } from '../../../src/pictures/kit/html.ts';
import { codeFrame, coloredFrame, styled, type FrameLine } from '../../protocol/code-frame.ts';
import { placeText, type CellOrigin } from '../../protocol/cell-origin.ts';
import type { LspRange } from '../typescript/lsp-types.ts';
import type { CellDiagnostic } from '../typescript/diagnostics.ts';

export const DIAGNOSTICS_TYPE = 'application/vnd.stridelab.diagnostics+json';

export interface ReportedCell {
  /** `msg_id` of its request. */
  readonly id: string;
  /** The cell's execution count; null if it has none. */
  readonly count: number | null;
  readonly code: string;
  readonly origin?: CellOrigin | undefined;
}

const MAX_SHOWN = 20;

export function countedErrors(diagnostics: readonly CellDiagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const counts = [
    errors > 0 && formatCounted(errors, 'type error'),
    warnings > 0 && formatCounted(warnings, 'warning')
  ];
  return counts.filter(Boolean).join(', ');
}

/** Returns the report as lines with terminal colours. */
export function reportLines(cell: ReportedCell, diagnostics: readonly CellDiagnostic[]): string[] {
  const lines: string[] = [];
  for (const { range, severity, code, message, href } of diagnostics.slice(0, MAX_SHOWN)) {
    const [first, ...rest] = message.split('\n');
    const color = severity === 'error' ? 'red' : 'yellow';
    const heading = `${place(cell, range.start)} - ${styled(color, severity)} ${styled('bold', code)}: ${first}`;
    lines.push(heading, ...rest.map(line => `  ${line}`));
    lines.push(...coloredFrame(frameOf(cell, range), color, '  '));
    if (href !== null) lines.push(styled('gray', `  ${href}`));
  }
  if (diagnostics.length > MAX_SHOWN) lines.push(`… and ${diagnostics.length - MAX_SHOWN} more`);
  return lines;
}

export function reportBundle(
  cell: ReportedCell,
  diagnostics: readonly CellDiagnostic[]
): Record<string, unknown> {
  return {
    'text/plain': reportLines(cell, diagnostics).join('\n'),
    'text/html': html(cell, diagnostics),
    [DIAGNOSTICS_TYPE]: reportData(cell, diagnostics)
  };
}

/** Returns the report for programs: ranges count lines and UTF-16 characters from 0. */
export function reportData(cell: ReportedCell, diagnostics: readonly CellDiagnostic[]): object {
  return {
    version: 1,
    cell: cell.id,
    execution_count: cell.count,
    diagnostics
  };
}

function html(cell: ReportedCell, diagnostics: readonly CellDiagnostic[]): string {
  const parts = diagnostics.slice(0, MAX_SHOWN).map(({ range, severity, code, message, href }) => {
    const color = severity === 'error' ? 'var(--jp-error-color1, #c62828)' : 'var(--jp-warn-color1, #b26a00)';
    const frame = frameOf(cell, range).map(({ gutter, text, role }) => {
      const line = escape(`${gutter} | ${text}`);
      if (role === 'line') return line;
      return role === 'marker'
        ? `<span style="color: ${color}">${line}</span>`
        : `<span style="opacity: 0.6">${line}</span>`;
    });
    const link =
      href === null ? code : `<a href="${escape(href)}" target="_blank" rel="noopener">${code}</a>`;
    const heading = `<span style="color: ${color}">${severity}</span> ${link} <span style="opacity: 0.6">${escape(place(cell, range.start))}</span>`;
    return `${heading}\n${escape(message)}\n${frame.join('\n')}`;
  });
  if (diagnostics.length > MAX_SHOWN) parts.push(`… and ${diagnostics.length - MAX_SHOWN} more`);
  const style =
    'border-left: 3px solid var(--jp-warn-color1, #b26a00); padding-left: 8px; margin: 0; white-space: pre-wrap';
  return `<pre style="${style}">${parts.join('\n\n')}</pre>`;
}

/** Returns the code frame, without blank lines around the place. */
function frameOf({ code, origin }: ReportedCell, range: LspRange): FrameLine[] {
  const frame = codeFrame(code, range, { firstLine: origin?.line });
  return frame.filter(({ role, text }) => role !== 'context' || text.trim() !== '');
}

function place(
  { count, origin }: ReportedCell,
  { line, character }: { line: number; character: number }
): string {
  return placeText(`Cell [${count ?? ' '}]`, origin, line + 1, character + 1);
}
