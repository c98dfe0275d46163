/** How two processes that have one array talk about it: over a connection of its own, or among other messages. */

import type { MessageHandler } from './channel.ts';

export interface SharingLink {
  /** False once the other process is gone, or has let go. */
  readonly alive: boolean;
  /** What comes is kept until there is a handler. */
  onMessage(handler: MessageHandler): void;
  /** False where nobody hears. */
  send(fields: Readonly<Record<string, unknown>>): boolean;
  /** A second call does nothing. */
  close(): void;
}
