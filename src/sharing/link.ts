/** The connection between two processes that share an array: a channel, or a part of another connection. */

import type { MessageHandler } from './channel.ts';

export interface SharingLink {
  /** False once the other process has exited or released the array. */
  readonly alive: boolean;
  /** Messages are queued until there is a handler. */
  onMessage(handler: MessageHandler): void;
  /** Returns false if the other end is closed. */
  send(fields: Readonly<Record<string, unknown>>): boolean;
  /** A second call does nothing. */
  close(): void;
}
