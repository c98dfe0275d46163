/** Answers the page's requests to a picture or to the sidebar. */

import type { Parameters, PictureResponse } from '../../../../src/pictures/kit/live-messages.ts';
import type { JsonObject } from '../../../protocol/messages.ts';
import { isPlainObject } from '../../model/values.ts';

export interface Reply {
  readonly content?: Parameters;
  readonly buffers?: readonly (ArrayBufferView | ArrayBufferLike)[];
}

export type Answer = Reply | undefined;

/** Calls `answer` for a request, and sends its result or the message of its error; undefined stands for an unknown method. */
export async function answerRequest(
  { kind, id, method, parameters }: JsonObject,
  answer: (method: string, parameters: Parameters) => Promise<Answer> | Answer,
  send: (response: PictureResponse, buffers: Reply['buffers']) => void
): Promise<void> {
  if (kind !== 'request' || typeof id !== 'number' || typeof method !== 'string') return;
  const respond = (content: object, buffers?: Reply['buffers']): void =>
    send({ kind: 'response', id, ...content }, buffers);
  try {
    const reply = await answer(method, isPlainObject(parameters) ? parameters : {});
    if (reply === undefined) respond({ error: `The kernel has no request named ${method}` });
    else respond(reply.content === undefined ? {} : { content: reply.content }, reply.buffers);
  } catch (reason) {
    respond({ error: reason instanceof Error ? reason.message : String(reason) });
  }
}
