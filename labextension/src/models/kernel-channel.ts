/** The connection of one model to its kernel over custom messages. Answers are matched by id; a missing one becomes an error. */

import type {
  Parameters,
  PicturePush,
  PictureRequest,
  PictureResponse
} from '../../../src/pictures/kit/live-messages.ts';
import type { Channel, Message } from '../views/kit/view.ts';
import { lostSentence, __ } from '../views/kit/phrases.ts';

/** Default timeout of a request, in ms. */
export const REQUEST_TIMEOUT = 5000;

export function exitedSentence(): string {
  return __('The kernel has exited; the picture shows its last state.');
}

interface PendingRequest {
  readonly resolve: (answer: Message) => void;
  readonly reject: (error: Error) => void;
  /** Undefined for a request without a timeout. */
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

export class KernelChannel implements Channel {
  #offline = false;
  readonly #send: (request: PictureRequest) => void;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #listeners = new Set<(message: Message) => void>();
  #lastId = 0;

  constructor(send: (request: PictureRequest) => void) {
    this.#send = send;
  }

  get offline(): boolean {
    return this.#offline;
  }

  /** Going offline rejects the pending requests, whose answers may be lost. */
  set offline(offline: boolean) {
    this.#offline = offline;
    if (offline) this.abandon(lostSentence());
  }

  /**
   * Sends a request and resolves to the kernel's answer. `patience` is the timeout in ms, `Infinity` for
   * none.
   * @throws Error whose message is the kernel's sentence, or reports a timeout.
   */
  request(method: string, parameters?: Parameters, patience = REQUEST_TIMEOUT): Promise<Message> {
    // JupyterLab would queue the message and send it after the request has timed out.
    if (this.#offline) return Promise.reject(new Error(lostSentence()));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#pending.delete(id);
        const sentence = __(
          'The kernel did not respond within %1 s; it may be busy. The picture is unchanged.',
          patience / 1000
        );
        reject(new Error(sentence));
      };
      const timer = patience === Infinity ? undefined : setTimeout(giveUp, patience);
      this.#pending.set(id, { resolve, reject, timer });
      try {
        this.#send({ kind: 'request', id, method, ...(parameters && { parameters }) });
      } catch {
        this.#pending.delete(id);
        clearTimeout(timer);
        reject(new Error(exitedSentence()));
      }
    });
  }

  onPush(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Handles a custom message from the kernel; ignores all but pushes and answers to pending requests. */
  receive(content: unknown, buffers: readonly DataView[]): void {
    if (isPush(content))
      for (const listener of this.#listeners) listener({ content: content.content, buffers });
    if (!isResponse(content)) return;
    const pending = this.#pending.get(content.id);
    if (!pending) return;
    this.#pending.delete(content.id);
    clearTimeout(pending.timer);
    if (content.error === undefined) pending.resolve({ content: content.content ?? {}, buffers });
    else pending.reject(new Error(content.error));
  }

  abandon(sentence: string): void {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(sentence));
    }
    this.#pending.clear();
  }
}

function isPush(content: unknown): content is PicturePush {
  return (content as Partial<PicturePush> | null)?.kind === 'push';
}

function isResponse(content: unknown): content is PictureResponse {
  return (content as Partial<PictureResponse> | null)?.kind === 'response';
}
