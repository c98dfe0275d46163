/** Bindings of the addon for the connection to a child or parent process; see `binding.ts`. */

/** How a process exited: an exit code or a signal number. */
export interface NativeExit {
  readonly code: number;
  /** 0 if no signal ended it. */
  readonly signal: number;
}

/**
 * Connections by number, over an anonymous pair of sockets: messages of any size with file descriptors, and the standard error
 * of the other process. System errors throw kind `buffer`, a closed connection kind `freed`.
 */
export interface NativeLinks {
  /** Sets the handler for messages, standard error and the end of a connection, like `NativeChannels.watch`. */
  watch(handler: (link: number) => void): void;
  /** Opens a connection. The other process inherits `socket` and `errors`; the caller closes them. */
  open(): { readonly link: number; readonly socket: number; readonly errors: number };
  /** Takes over a socket that this process inherited from its parent, and ends with the parent. The link has no standard error. */
  inherit(descriptor: number): number;
  /** Sends a message; blocks until it is written. Returns false if the other end is closed. The caller keeps the descriptors. */
  send(link: number, message: Uint8Array, descriptors: readonly number[]): boolean;
  /**
   * Returns the next message; null at the end of the connection; undefined if none came within `milliseconds`, if text came on
   * standard error, or if the interrupt flag is set and `heed` is true. With 0, `watch` reports the next message.
   */
  receive(link: number, milliseconds: number, heed: boolean): Uint8Array | null | undefined;
  /** Returns true if a message has arrived that `watch` may not report. */
  pending(link: number): boolean;
  /** Clears the interrupt flag; returns whether it was set. */
  takeInterrupt(): boolean;
  /** The next descriptor of the last message, for the caller to close; -1 if none. The next message closes the rest. */
  takeDescriptor(link: number): number;
  /** Returns the text on standard error since the last call. */
  takeErrors(link: number): string;
  close(link: number): void;
  /** Returns how a child process exited; undefined if it does not exit in time. Does not reap the process. */
  exitOf(process: number, milliseconds: number): NativeExit | undefined;
}
