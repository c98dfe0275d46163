/** Requests of one model to its kernel over custom messages: answers are matched by id, silence ends in a sentence. */

import type { InspectorRequest, InspectorResponse } from '../../../src/description/schema.ts';

/** Milliseconds after which a request counts as unanswered. */
export const REQUEST_TIMEOUT = 5000;

interface PendingRequest {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class InspectorRequests {
  readonly #send: (request: InspectorRequest) => void;
  readonly #pending = new Map<number, PendingRequest>();
  #lastId = 0;

  constructor(send: (request: InspectorRequest) => void) {
    this.#send = send;
  }

  /**
   * Settles with the kernel's answer.
   *
   * @throws Error whose message is the kernel's sentence, or says that no answer came within {@link REQUEST_TIMEOUT}.
   */
  request(method: InspectorRequest['method']): Promise<void> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(
          new Error(
            `The kernel did not answer within ${REQUEST_TIMEOUT / 1000} s; it may be busy. The picture is unchanged.`
          )
        );
      }, REQUEST_TIMEOUT);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ kind: 'request', id, method });
    });
  }

  /** Takes a custom message of the kernel; anything but an answer that is waited for is ignored. */
  receive(content: unknown): void {
    if (!isResponse(content)) return;
    const pending = this.#pending.get(content.id);
    if (!pending) return;
    this.#pending.delete(content.id);
    clearTimeout(pending.timer);
    if (content.error === undefined) pending.resolve();
    else pending.reject(new Error(content.error));
  }

  /** Ends every request that still waits, with a sentence. */
  abandon(sentence: string): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(sentence));
    }
    this.#pending.clear();
  }
}

function isResponse(content: unknown): content is InspectorResponse {
  if (typeof content !== 'object' || content === null) return false;
  const { kind, id, error } = content as Partial<Record<keyof InspectorResponse, unknown>>;
  return kind === 'response' && typeof id === 'number' && (error === undefined || typeof error === 'string');
}
