/** A kernel connection without a server: keeps the page's messages, and sends those given by a test. */

import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

interface Request {
  readonly id: number;
  readonly method: string;
  readonly parameters: Record<string, unknown>;
}

export class FakeComm {
  isDisposed = false;
  closed = false;
  onMsg: (message: unknown) => void = () => undefined;
  onClose: () => void = () => undefined;
  readonly requests: Request[] = [];

  open(): void {}

  send(data: unknown): void {
    this.requests.push(data as Request);
  }

  close(): void {
    this.closed = true;
    this.isDisposed = true;
  }

  push(content: object): void {
    this.#tell({ kind: 'push', content });
  }

  answer(method: string, content: object): void {
    const { id } = this.requests.findLast(request => request.method === method)!;
    this.#tell({ kind: 'response', id, content });
  }

  refuse(method: string, error: string): void {
    const { id } = this.requests.findLast(request => request.method === method)!;
    this.#tell({ kind: 'response', id, error });
  }

  /** The `visible` argument of each watch request. */
  get watches(): unknown[] {
    return this.requests
      .filter(({ method }) => method === 'watch')
      .map(({ parameters }) => parameters['visible']);
  }

  #tell(data: object): void {
    this.onMsg({ content: { data } });
  }
}

export class FakeKernel {
  readonly id: string;
  readonly info: Promise<{ implementation: string }>;
  handleComms = true;
  isDisposed = false;
  status: Kernel.Status = 'idle';
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  readonly comms: FakeComm[] = [];
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly connectionStatusChanged = new Signal<this, Kernel.ConnectionStatus>(this);
  readonly disposed = new Signal<this, void>(this);

  constructor(id: string, implementation = 'stridelab') {
    this.id = id;
    this.info = Promise.resolve({ implementation });
  }

  get connection(): Kernel.IKernelConnection {
    return this as unknown as Kernel.IKernelConnection;
  }

  get comm(): FakeComm {
    return this.comms.at(-1)!;
  }

  createComm(): FakeComm {
    if (!this.handleComms) throw new Error('Comms are disabled on this kernel connection');
    const comm = new FakeComm();
    this.comms.push(comm);
    return comm;
  }

  connect(status: Kernel.ConnectionStatus): void {
    this.connectionStatus = status;
    this.connectionStatusChanged.emit(status);
  }

  become(status: Kernel.Status): void {
    this.status = status;
    // Like the connection: earlier comms disappear without a message.
    if (status === 'restarting') for (const comm of this.comms) comm.isDisposed = true;
    this.statusChanged.emit(status);
  }

  dispose(): void {
    this.isDisposed = true;
    this.disposed.emit();
  }
}
