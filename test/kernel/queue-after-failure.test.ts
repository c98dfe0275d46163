/** Which cells the queue aborts after a failure, with replies that take time to send. */

import { expect, test } from '@jest/globals';
import {
  ExecutionQueue,
  type ExecutionHost,
  type ExecutionJob
} from '../../kernel/front/requests/execution-queue.ts';
import { History } from '../../kernel/front/history/history.ts';

const now = (): number => performance.timeOrigin + performance.now();

function job(id: string, date: number): ExecutionJob {
  const header = {
    msg_id: id,
    session: 's',
    username: 'u',
    date: new Date(date).toISOString(),
    msg_type: 'execute_request',
    version: '5.4'
  };
  return {
    channel: 'shell',
    message: { identities: [], header, parent: {}, metadata: {}, content: {}, buffers: [] },
    receivedAt: performance.now(),
    code: '1',
    origin: undefined,
    silent: false,
    storeHistory: false,
    stopOnError: true,
    expressions: {}
  };
}

const FAILURE = { status: 'error', ename: 'E', evalue: '', traceback: [] } as const;

test('a cell that is sent as soon as its client has the reply runs, however long the kernel is busy with the reply', async () => {
  const replies = new Map<string, object>();
  const ran: string[] = [];
  let repliedAt = 0;
  const host: ExecutionHost = {
    busy: () => undefined,
    idle: () => {
      // As on a busy machine: the client has the reply and sends the next cell before the kernel goes on.
      for (const end = performance.now() + 20; performance.now() < end;);
    },
    publish: () => undefined,
    reply: ({ message }, content) => {
      repliedAt ||= now();
      replies.set(message.header.msg_id, content);
    },
    run: ({ message }) => ran.push(message.header.msg_id),
    outputPublished: () => Promise.resolve(),
    executed: () => undefined
  };
  const queue = new ExecutionQueue(host, new History(() => undefined, ''), { value: 0 });
  const sent = now();
  queue.add(job('failing', sent));
  for (const end = performance.now() + 10; performance.now() < end;);
  await queue.finish('failing', FAILURE, []);
  queue.add(job('unaware', sent + 5));
  queue.add(job('aware', repliedAt + 1));
  expect(ran).toEqual(['failing', 'aware']);
  expect(replies.get('unaware')).toMatchObject({ ename: 'Aborted' });
});
