/** What every picture is to those who show it: a live widget, a saved output, a page without JupyterLab. */

import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';

/** What a message of the kernel carries. */
export interface Message {
  readonly content: Parameters;
  readonly buffers: readonly DataView[];
}

/** The way to the kernel half. */
export interface Channel {
  /** The connection to the server is lost, and may come back: the kernel lives on. */
  readonly offline?: boolean;
  /** @throws Error whose message is a sentence to show: the kernel's own, or that it does not answer. */
  request(method: string, parameters?: Parameters): Promise<Message>;
  /** Calls `listener` with each push of the kernel; returns the call that ends it. */
  onPush(listener: (message: Message) => void): () => void;
}

export interface ViewOptions {
  /** Absent for a static picture. */
  readonly channel?: Channel | undefined;
}

export interface View {
  /** Shows what the data describes, or a sentence where it describes nothing. `connected`: a kernel stands behind it. */
  update(data: unknown, connected: boolean): void;
  /** Opens one of its tabs; a name that it does not know changes nothing. Absent where it has none. */
  open?(tab: string): void;
  /** Stops timers and observers. The elements stay where they are. */
  dispose(): void;
}

/** Fills `host`; it shows something from the first `update` on. */
export type CreateView = (host: HTMLElement, options: ViewOptions) => View;
