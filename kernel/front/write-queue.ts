/** ZeroMQ sockets allow one asynchronous send at a time: messages wait here, in order, until the one before is gone. */

interface Sender {
  send(frames: Uint8Array[]): Promise<void>;
}

export class WriteQueue {
  readonly #socket: Sender;
  #waiting: Uint8Array[][] = [];
  #draining: Promise<void> | undefined;

  constructor(socket: Sender) {
    this.#socket = socket;
  }

  push(frames: Uint8Array[]): void {
    this.#waiting.push(frames);
    this.#draining ??= this.#drain();
  }

  /** Resolves once everything pushed so far was handed to the socket. */
  async drained(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const frames of batch) {
        try {
          await this.#socket.send(frames);
        } catch (error) {
          // The receiver is gone or the socket was closed; nobody is left to be told.
          process.stderr.write(`A message could not be sent: ${(error as Error).message}\n`);
        }
      }
    }
    this.#draining = undefined;
  }
}
