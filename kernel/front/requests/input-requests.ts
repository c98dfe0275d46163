/** Input requests of cells, one at a time for each client. Answers to requests that were withdrawn are dropped. */

import { randomUUID } from 'node:crypto';
import type { InputAnswer, InputFailure, InputQuestion } from '../../protocol/executor-messages.ts';
import type { JupyterMessage } from '../../protocol/messages.ts';

export interface InputHost {
  /** Returns the request on whose behalf code of `cell` may ask; undefined if no cell runs. */
  requestOf(cell: string): JupyterMessage | undefined;
  /** Returns whether a page may still be loaded that shows the request's cell. */
  isNotebook(request: JupyterMessage): boolean;
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

/** Attempts, and milliseconds between them, to reach a page whose stdin channel is not connected yet. */
const FOLLOWER_TRIES = 50;
const FOLLOWER_MS = 100;

const NOBODY_RUNS = 'No cell is running: ask in a cell, and await the answer there';
const NOT_ALLOWED = 'The client that runs this cell does not accept input requests (allow_stdin is false)';
const NO_CHANNEL = 'The client that runs this cell has no stdin channel open';
const DISMISSED = 'The question was dismissed without an answer';
const ENDED = 'The cell ended before the answer arrived: await the answer in the cell';

export class InputRequests {
  readonly #host: InputHost;
  /** Questions by client; the first of each list is shown. */
  readonly #waiting = new Map<string, Asked[]>();
  /** Requests of pages loaded during a run, by the `msg_id` of the run; they are asked too, and may answer. */
  readonly #followers = new Map<string, JupyterMessage[]>();

  constructor(host: InputHost) {
    this.#host = host;
  }

  ask(question: InputQuestion): void {
    const request = this.#host.requestOf(question.cell);
    if (request === undefined) this.#refuse(question, NOBODY_RUNS);
    else if (request.content['allow_stdin'] !== true) this.#refuse(question, NOT_ALLOWED);
    else this.#add({ question, request, id: randomUUID() });
  }

  /** Handles an `input_reply`. Not every client names the request that it answers. */
  reply({ identities, parent, content }: JupyterMessage): void {
    const from = nameOf(identities);
    const to = (parent as { readonly msg_id?: unknown }).msg_id;
    const asked = this.#first.find(
      ({ request, id }) =>
        this.#clientsOf(request).some(client => nameOf(client.identities) === from) &&
        (to === undefined || to === id || to === request.header.msg_id)
    );
    if (asked === undefined) return;
    const { question, request } = asked;
    this.#end(nameOf(request.identities), asked);
    if (content['status'] === 'error') return this.#fail(question, 'closed', DISMISSED);
    const value = typeof content['value'] === 'string' ? content['value'] : '';
    this.#host.answer({ kind: 'answer', id: question.id, value }, question.blocking);
  }

  /** Adds the sender as a page that shows the run with this `msg_id`. */
  follow(request: JupyterMessage): void {
    const { msg_id } = request.header;
    this.#followers.set(msg_id, [...(this.#followers.get(msg_id) ?? []), request]);
    this.#askFollower(request, FOLLOWER_TRIES);
  }

  /** Drops the questions of a request that ended: its client can no longer answer. */
  requestEnded(requestId: string): void {
    this.#followers.delete(requestId);
    for (const [client, list] of this.#waiting) {
      const ended = list.filter(({ request }) => request.header.msg_id === requestId);
      // The shown question last, so that none of the others is sent.
      for (const asked of ended.reverse()) {
        this.#fail(asked.question, 'closed', ENDED);
        this.#end(client, asked);
      }
    }
  }

  /** Drops all questions: their cells were interrupted, or the process has exited. */
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

  /** Asks a page that was loaded later; its stdin channel may connect after the channel of the request. */
  #askFollower(request: JupyterMessage, tries: number): void {
    const { msg_id } = request.header;
    const asked = this.#first.find(({ request }) => request.header.msg_id === msg_id);
    if (asked === undefined || tries === 0) return;
    const again = (): void => this.#askFollower(request, tries - 1);
    this.#sendTo(request, asked, () => void setTimeout(again, FOLLOWER_MS).unref());
  }

  /** The questions that are currently shown. */
  get #first(): readonly Asked[] {
    return [...this.#waiting.values()].flatMap(([asked]) => asked ?? []);
  }

  /** Returns the client that runs the cell, and those that follow it. */
  #clientsOf(request: JupyterMessage): readonly JupyterMessage[] {
    return [request, ...(this.#followers.get(request.header.msg_id) ?? [])];
  }

  #send(client: string, asked: Asked): void {
    const clients = this.#clientsOf(asked.request);
    let reachable = clients.length;
    for (const to of clients)
      this.#sendTo(to, asked, () => {
        reachable -= 1;
        // A notebook's page may be loaded again, which then shows the question.
        if (reachable > 0 || this.#host.isNotebook(asked.request)) return;
        if (this.#end(client, asked)) this.#refuse(asked.question, NO_CHANNEL);
      });
  }

  #sendTo({ identities }: JupyterMessage, { question, request, id }: Asked, unreachable: () => void): void {
    const { prompt, password } = question;
    this.#host.send({ ...request, identities }, id, { prompt, password }, unreachable);
  }

  /** Removes a question and asks the next. Returns false if it was already removed. */
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
