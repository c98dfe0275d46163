/** Functions of the kernel that a widget's module calls by name (`experimental.invoke`). */

import type { JsonObject } from '../../protocol/messages.ts';
import { reportFailure } from '../model/handlers.ts';
import type { Widget } from '../model/widget.ts';

/** Result of a command that has binary buffers. */
export class Reply {
  readonly response: unknown;
  readonly buffers: readonly (ArrayBufferView | ArrayBufferLike)[];

  constructor(response: unknown, buffers: readonly (ArrayBufferView | ArrayBufferLike)[]) {
    this.response = response;
    this.buffers = buffers;
  }
}

/** Returns the answer of a command, with binary buffers. */
export function reply(
  response: unknown,
  buffers: readonly (ArrayBufferView | ArrayBufferLike)[] = []
): Reply {
  return new Reply(response, buffers);
}

/**
 * A function that the module can call. It returns the answer, a promise of it, or a `reply` with buffers. Declare the type of the message
 * yourself.
 */
export type Command = (message: never, buffers: readonly Uint8Array[]) => unknown;

/** Runs the command that a custom message names, if it is one. A failure is reported, and its message is the answer. */
export function answerCommand(
  widget: Pick<Widget, 'send'>,
  commands: Readonly<Record<string, Command>>,
  content: JsonObject,
  buffers: readonly Uint8Array[]
): void {
  const { kind, id, name, msg } = content;
  if (kind !== 'anywidget-command') return;
  const answer = (more: object, bytes: Reply['buffers'] = []): void =>
    widget.send({ id, kind: 'anywidget-command-response', ...more }, bytes);
  const command = Object.hasOwn(commands, String(name)) ? commands[String(name)] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands).join(', ') || 'none';
    answer({ error: `unknown command "${String(name)}": the widget has ${known}` });
    return;
  }
  reportFailure(async () => {
    try {
      const result = await command.call(widget, msg as never, buffers);
      if (result instanceof Reply) answer({ response: result.response }, result.buffers);
      else answer({ response: result ?? null });
    } catch (error) {
      answer({ error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  });
}
