/** The thread with the inspector session: it executes commands of the front while the main thread is paused or in a loop. */

import { Session } from 'node:inspector';
import { Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { encodeFrame, FrameDecoder } from '../../protocol/channel.ts';
import { DEBUGGER_FD, type FromDebugger, type ToDebugger } from '../../protocol/debugger-messages.ts';
import type { JsonObject } from '../../protocol/messages.ts';

let session: Session | undefined;

const pipe = new Socket({ fd: DEBUGGER_FD, readable: true, writable: true });
const decoder = new FrameDecoder<ToDebugger>();
pipe.on('data', piece => decoder.push(piece).forEach(({ message }) => receive(message)));
pipe.on('end', disconnect);
pipe.on('error', disconnect);
// Resumes stopped code so that it sees an interrupt. If nothing is stopped, this fails, which is ignored.
parentPort!.on('message', () => session?.post('Debugger.resume'));

function send(message: FromDebugger): void {
  if (pipe.writable) pipe.write(encodeFrame(message));
}

function receive(message: ToDebugger): void {
  if (message.kind === 'connect') connect();
  else if (message.kind === 'disconnect') disconnect();
  else if (message.kind === 'breakable') void findBreakable(message.id, message.code);
  else post(message.id, message.method, message.params);
}

function connect(): void {
  disconnect();
  const opened = new Session();
  session = opened;
  opened.connectToMainThread();
  opened.on('inspectorNotification', (notification: { method: string; params?: JsonObject }) => {
    const { method, params = {} } = notification;
    // The process is about to exit and waits for its debugger.
    if (method === 'NodeRuntime.waitingForDisconnect') disconnect();
    else send({ kind: 'event', method, params });
  });
  opened.post('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true });
}

function disconnect(): void {
  session?.disconnect();
  session = undefined;
}

function post(id: number, method: string, params: object): void {
  if (session === undefined) {
    send({ kind: 'failure', id, message: 'The debugger is not connected' });
    return;
  }
  session.post(method, params, (error, result?: object) => {
    if (error === null) send({ kind: 'result', id, result: result ?? {} });
    else send({ kind: 'failure', id, message: error.message });
  });
}

async function findBreakable(id: number, code: string): Promise<void> {
  try {
    const { breakablePlaces } = await import('./breakable-places.ts');
    send({ kind: 'result', id, result: await breakablePlaces(code) });
  } catch (error) {
    send({ kind: 'failure', id, message: (error as Error).message });
  }
}
