/** What the types of a run's cells were found to be, which may be known only when the last cell has ended. */

import { DIAGNOSTICS_TYPE } from '../../front/types/diagnostic-report.ts';
import type { PublishedMessage } from './outputs.ts';

/** The text of the findings that a message shows; undefined for other messages. */
export function findingsIn({ type, content }: PublishedMessage): string | undefined {
  const data = (content['data'] ?? {}) as Record<string, unknown>;
  return type === 'display_data' && DIAGNOSTICS_TYPE in data ? String(data['text/plain']) : undefined;
}

/** Remembers whether any cell that has to be right has an error. */
export class TypeFindings {
  readonly #expected = new Set<string>();
  #failed = false;

  get failed(): boolean {
    return this.#failed;
  }

  /** Errors of this request are meant. */
  expect(requestId: string): void {
    this.#expected.add(requestId);
  }

  receive(message: PublishedMessage): void {
    if (findingsIn(message) === undefined || this.#expected.has(message.parentId)) return;
    const data = message.content['data'] as Record<string, { diagnostics: { severity: string }[] }>;
    this.#failed ||= data[DIAGNOSTICS_TYPE]!.diagnostics.some(({ severity }) => severity === 'error');
  }
}
