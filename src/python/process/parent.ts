/** The process that started this one, as its Python: python/stridelab/cluster/node.py. */

import { native } from '../../native/load.ts';
import type { ProcessEnd } from '../interpreter/errors.ts';
import type { PythonPeer } from './peer.ts';

export class PythonParent implements PythonPeer {
  readonly link: number;
  readonly process = process.ppid;
  readonly patience = 0;

  readonly #ended: () => void;

  /** Takes over the socket that the parent left open in this process. `ended` is called when the connection has ended. */
  constructor(descriptor: number, ended: () => void) {
    this.link = native().links.inherit(descriptor);
    this.#ended = ended;
  }

  passErrorsOn(): void {
    // The parent's standard error is not connected to this process.
  }

  note(): void {
    // Kept only of a process whose exit is reported here.
  }

  kill(): void {
    // The parent runs other work beside this connection.
  }

  /** Returns at once: nobody waits for the parent to exit. */
  ended(): ProcessEnd {
    return { exitCode: null, signal: null, stderr: '' };
  }

  close(): void {
    native().links.close(this.link);
    this.#ended();
  }
}
