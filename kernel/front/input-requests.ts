/**
 * Questions of cells to the person in front of the client that runs them. A client is asked one question at a time; an answer
 * that nobody waits for is dropped.
 */

import { randomUUID } from 'node:crypto';
import type { InputAnswer, InputFailure, InputQuestion } from '../protocol/executor-messages.ts';
import type { JupyterMessage } from '../protocol/messages.ts';

export interface InputHost {
  /** The request on whose behalf code of `cell` may ask; undefined where no cell runs. */
  requestOf(cell: string): JupyterMessage | undefined;
  /** Sends the `input_request` with this `msg_id`. */
  send(request: JupyterMessage, id: string, content: object, unreachable: () => void): void;
  answer(answer: InputAnswer, blocking: boolean): void;
}

interface Asked {
  readonly question: InputQuestion;
  readonly request: JupyterMessage;
  /** `msg_id` of the `input_request`, once it was sent. */
  readonly id: string;
}

const NOBODY_RUNS = 'No cell is running: ask in a cell, and await the answer there';
const NOT_ALLOWED = 'The client that runs this cell does not take questions (allow_stdin is false)';
const NO_CHANNEL = 'The client that runs this cell has no stdin channel open';
const DISMISSED = 'The question was dismissed without an answer';
const ENDED = 'The cell ended before the answer came: await the answer in the cell';

export class InputRequests {
  readonly #host: InputHost;
  /** By client; the first of each list is what the person sees. */
  readonly #waiting = new Map<string, Asked[]>();

  constructor(host: InputHost) {
    this.#host = host;
  }

  ask(question: InputQuestion): void {
    const request = this.#host.requestOf(question.cell);
    if (request === undefined) this.#refuse(question, NOBODY_RUNS);
    else if (request.content['allow_stdin'] !== true) this.#refuse(question, NOT_ALLOWED);
    else this.#add({ question, request, id: randomUUID() });
  }

  /** An `input_reply`. Not every client says what it replies to. */
  reply({ identities, parent, content }: JupyterMessage): void {
    const client = nameOf(identities);
    const [asked] = this.#waiting.get(client) ?? [];
    if (asked === undefined) return;
    const to = (parent as { readonly msg_id?: unknown }).msg_id ?? asked.id;
    if (to !== asked.id && to !== asked.request.header.msg_id) return;
    this.#end(client, asked);
    const { question } = asked;
    if (content['status'] === 'error') return this.#fail(question, 'closed', DISMISSED);
    const value = typeof content['value'] === 'string' ? content['value'] : '';
    this.#host.answer({ kind: 'answer', id: question.id, value }, question.blocking);
  }

  /** The client has no place for the answers any more. */
  requestEnded(requestId: string): void {
    for (const [client, list] of this.#waiting) {
      const ended = list.filter(({ request }) => request.header.msg_id === requestId);
      if (ended.length === 0) continue;
      const kept = list.filter(asked => !ended.includes(asked));
      this.#waiting.set(client, kept);
      for (const { question } of ended) this.#fail(question, 'closed', ENDED);
      if (kept.length === 0) this.#waiting.delete(client);
      else if (kept[0] !== list[0]) this.#send(client, kept[0]!);
    }
  }

  /** Those who asked were interrupted, or their process is gone. */
  forget(): void {
    this.#waiting.clear();
  }

  #add(asked: Asked): void {
    const client = nameOf(asked.request.identities);
    const list = this.#waiting.get(client) ?? [];
    this.#waiting.set(client, list);
    list.push(asked);
    if (list.length === 1) this.#send(client, asked);
  }

  #send(client: string, asked: Asked): void {
    const { prompt, password } = asked.question;
    this.#host.send(asked.request, asked.id, { prompt, password }, () => {
      if (!this.#end(client, asked)) return;
      this.#refuse(asked.question, NO_CHANNEL);
    });
  }

  /** Takes a question off the list; the next one is asked. False where it was not on it any more. */
  #end(client: string, asked: Asked): boolean {
    const list = this.#waiting.get(client) ?? [];
    const place = list.indexOf(asked);
    if (place < 0) return false;
    list.splice(place, 1);
    if (list.length === 0) this.#waiting.delete(client);
    else if (place === 0) this.#send(client, list[0]!);
    return true;
  }

  #refuse(question: InputQuestion, reason: string): void {
    this.#fail(question, 'not-implemented', reason);
  }

  #fail({ id, blocking }: InputQuestion, failure: InputFailure['failure'], reason: string): void {
    this.#host.answer({ kind: 'answer', id, failure, reason }, blocking);
  }
}

function nameOf(identities: readonly Uint8Array[]): string {
  return Buffer.concat(identities).toString('hex');
}
