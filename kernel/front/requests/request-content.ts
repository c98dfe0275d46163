/** Reads the content of requests, which is not validated: values of the wrong type count as missing. */

import { originIn } from '../../protocol/cell-origin.ts';
import type { JupyterMessage } from '../../protocol/messages.ts';
import type { ExecutionJob } from './execution-queue.ts';
import type { RequestChannel } from '../sockets/sockets.ts';

export function executionJob(channel: RequestChannel, message: JupyterMessage): ExecutionJob {
  const { content } = message;
  return {
    channel,
    message,
    receivedAt: performance.now(),
    code: textOf(content['code']),
    origin: originIn(message.metadata),
    silent: content['silent'] === true,
    storeHistory: content['store_history'] !== false,
    stopOnError: content['stop_on_error'] !== false,
    expressions: textsOf(content['user_expressions'])
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the string-valued members. */
function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string'
  );
  return Object.fromEntries(texts);
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
