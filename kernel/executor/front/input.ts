/** Input requests of cells: the front passes them to the client, and answers are matched by number. */

import { StdinClosedError, StdinNotImplementedError } from '../../../src/notebook/stdin-errors.ts';
import type { InputAnswer, InputFailure } from '../../protocol/executor-messages.ts';
import { createAnswerLink, waitForAnswer } from './answer-link.ts';
import { currentRequest } from '../context/cell-context.ts';
import { sendToFront } from './front-link.ts';
import { flushOutput } from './output.ts';

/** The main thread's end of the link for answers; the interrupt thread has the other. */
export const answerLink = createAnswerLink();
const waiting = new Map<number, Omit<PromiseWithResolvers<string>, 'promise'>>();
let latest = 0;

export function ask(prompt: string, password: boolean): Promise<string> {
  const id = send(prompt, password, false);
  const place: { stack?: string } = {};
  Error.captureStackTrace(place, ask);
  return new Promise((resolve, reject) =>
    waiting.set(id, {
      resolve,
      reject: (error: Error) => {
        // The error is created when the answer arrives; the stack of the question is more useful.
        error.stack = `${error.name}: ${error.message}${place.stack!.slice(place.stack!.indexOf('\n'))}`;
        reject(error);
      }
    })
  );
}

/** Blocks until the answer; returns undefined if `givesUp`, called whenever an interrupt wakes it, returns true. */
export function askBlocking(prompt: string, password: boolean, givesUp: () => boolean): string | undefined {
  const answer = waitForAnswer(answerLink.mainEnd, send(prompt, password, true), givesUp);
  if (answer === undefined) return undefined;
  if ('failure' in answer) throw failureOf(answer);
  return answer.value;
}

/** Delivers an answer; ignores answers to forgotten questions. */
export function answered(answer: InputAnswer): void {
  const question = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ('failure' in answer) question?.reject(failureOf(answer));
  else question?.resolve(answer.value);
}

/** Forgets all questions after an interrupt: code that awaits an answer does not continue. */
export function forgetQuestions(): void {
  waiting.clear();
}

function send(prompt: string, password: boolean, blocking: boolean): number {
  latest += 1;
  flushOutput();
  sendToFront({
    kind: 'ask',
    id: latest,
    cell: currentRequest(),
    prompt: String(prompt),
    password,
    blocking
  });
  return latest;
}

function failureOf({ failure, reason }: InputFailure): Error {
  return failure === 'closed' ? new StdinClosedError(reason) : new StdinNotImplementedError(reason);
}
