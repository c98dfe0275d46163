/**
 * Questions of cells to the person in front of the client that runs them. A client is asked one question at a time; an answer
 * that nobody waits for is dropped.
 */

import { randomUUID } from 'node:crypto';
import type { InputAnswer, InputFailure, InputQuestion } from '../../protocol/executor-messages.ts';
import type { JupyterMessage } from '../../protocol/messages.ts';

export interface InputHost {
  /** The request on whose behalf code of `cell` may ask; undefined where no cell runs. */
  requestOf(cell: string): JupyterMessage | undefined;
  /** Whether a page may yet come to show what the request's cell does. */
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

/** How often, and after how many milliseconds, a page that cannot be reached yet is asked again. */
const FOLLOWER_TRIES = 50;
const FOLLOWER_MS = 100;

const NOBODY_RUNS = 'No cell is running: ask in a cell, and await the answer there';
const NOT_ALLOWED = 'The client that runs this cell does not take questions (allow_stdin is false)';
const NO_CHANNEL = 'The client that runs this cell has no stdin channel open';
const DISMISSED = 'The question was dismissed without an answer';
const ENDED = 'The cell ended before the answer came: await the answer in the cell';

export class InputRequests {
  readonly #host: InputHost;
  /** By client; the first of each list is what the person sees. */
  readonly #waiting = new Map<string, Asked[]>();
  /** Pages that were loaded during a run, by the id of its request: they are asked too, and may answer. */
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

  /** An `input_reply`. Not every client says what it replies to. */
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

  /** The sender of the request shows, from now on, what the run of this `msg_id` does. */
  follow(request: JupyterMessage): void {
    const { msg_id } = request.header;
    this.#followers.set(msg_id, [...(this.#followers.get(msg_id) ?? []), request]);
    this.#askFollower(request, FOLLOWER_TRIES);
  }

  /** The client has no place for the answers any more. */
  requestEnded(requestId: string): void {
    this.#followers.delete(requestId);
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

  /** Its stdin channel may connect after the channel of the request. */
  #askFollower(request: JupyterMessage, tries: number): void {
    const { msg_id } = request.header;
    const asked = this.#first.find(({ request }) => request.header.msg_id === msg_id);
    if (asked === undefined || tries === 0) return;
    const again = (): void => this.#askFollower(request, tries - 1);
    this.#sendTo(request, asked, () => void setTimeout(again, FOLLOWER_MS).unref());
  }

  /** What people are asked now. */
  get #first(): readonly Asked[] {
    return [...this.#waiting.values()].flatMap(([asked]) => asked ?? []);
  }

  /** The client that runs the cell, and those that follow it. */
  #clientsOf(request: JupyterMessage): readonly JupyterMessage[] {
    return [request, ...(this.#followers.get(request.header.msg_id) ?? [])];
  }

  #send(client: string, asked: Asked): void {
    const clients = this.#clientsOf(asked.request);
    let reachable = clients.length;
    for (const to of clients)
      this.#sendTo(to, asked, () => {
        reachable -= 1;
        // The page of a notebook may be loaded again, and is asked then.
        if (reachable > 0 || this.#host.isNotebook(asked.request)) return;
        if (this.#end(client, asked)) this.#refuse(asked.question, NO_CHANNEL);
      });
  }

  #sendTo({ identities }: JupyterMessage, { question, request, id }: Asked, unreachable: () => void): void {
    const { prompt, password } = question;
    this.#host.send({ ...request, identities }, id, { prompt, password }, unreachable);
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
