/** Type errors of a run's cells, which may be known only after the last cell has ended. */

import { DIAGNOSTICS_TYPE } from '../../front/types/diagnostic-report.ts';
import type { PublishedMessage } from './outputs.ts';

/** Returns the text of the diagnostics in a message; undefined for other messages. */
export function findingsIn({ type, content }: PublishedMessage): string | undefined {
  const data = (content['data'] ?? {}) as Record<string, unknown>;
  return type === 'display_data' && DIAGNOSTICS_TYPE in data ? String(data['text/plain']) : undefined;
}

/** Records whether any cell has a type error. */
export class TypeFindings {
  failed = false;

  receive(message: PublishedMessage): void {
    if (findingsIn(message) === undefined) return;
    const data = message.content['data'] as Record<string, { diagnostics: { severity: string }[] }>;
    this.failed ||= data[DIAGNOSTICS_TYPE]!.diagnostics.some(({ severity }) => severity === 'error');
  }
}
