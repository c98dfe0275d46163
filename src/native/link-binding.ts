/** The part of the addon that talks with a process which this one started; beside `binding.ts`. */

/** How a process ended: by an exit code or by a signal's number. */
export interface NativeExit {
  readonly code: number;
  /** 0 where none ended it. */
  readonly signal: number;
}

/**
 * Connections by number, over a pair of sockets without a name: whole messages of any size, with open files beside them, and the
 * text of the other process's standard error. What the system refuses is kind `buffer`, a closed connection kind `freed`.
 */
export interface NativeLinks {
  /** As `NativeChannels.watch`: for messages, text of errors, and the end. */
  watch(handler: (link: number) => void): void;
  /** `socket` and `errors` are for the other process to inherit, and the caller's to close. */
  open(): { readonly link: number; readonly socket: number; readonly errors: number };
  /** Blocks until it is written. False where the other end is closed. The descriptors stay the caller's. */
  send(link: number, message: Uint8Array, descriptors: readonly number[]): boolean;
  /**
   * The next message; null where nothing will come any more; undefined where nothing came in `milliseconds`, where text of errors
   * came instead, and where the interrupt flag is up and `heed` is true. With 0, `watch` tells of the next.
   */
  receive(link: number, milliseconds: number, heed: boolean): Uint8Array | null | undefined;
  /** Whether a message is here that `watch` may not tell of. */
  pending(link: number): boolean;
  /** Whether the interrupt flag was up; it is down afterwards. */
  takeInterrupt(): boolean;
  /** The next open file of the message received last, the caller's to close; -1 where there is none. The rest is closed with the next. */
  takeDescriptor(link: number): number;
  /** Text of errors since the last call. */
  takeErrors(link: number): string;
  close(link: number): void;
  /** How a child process ended, once it has; undefined where it has not in that time. Somebody else still reaps it. */
  exitOf(process: number, milliseconds: number): NativeExit | undefined;
}
