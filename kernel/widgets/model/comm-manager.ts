/** Jupyter comms of the executor: a registry by comm id, and targets that the page may open. */

import { randomUUID } from 'node:crypto';
import type { CommDelivery } from '../../protocol/executor-messages.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import { widgetHost, type CommSender } from './host.ts';
import { isPlainObject } from './values.ts';

export interface CommMessage {
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  readonly buffers: readonly Uint8Array[];
}

export type CommTarget = (comm: Comm, message: CommMessage) => void;

export class Comm {
  readonly id: string;
  readonly #manager: CommManager;
  #closed = false;
  onMessage: (message: CommMessage) => void = () => {};
  /** Called when either side has closed the comm. */
  onClose: () => void = () => {};

  constructor(manager: CommManager, id: string) {
    this.#manager = manager;
    this.id = id;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sends a message; does nothing once closed, because the page no longer knows the comm. */
  send(data: JsonObject, metadata: JsonObject = {}, buffers: readonly Uint8Array[] = []): void {
    if (!this.#closed) this.#manager.send('comm_msg', { comm_id: this.id, data }, metadata, buffers);
  }

  close(): void {
    if (this.#closed) return;
    this.#manager.send('comm_close', { comm_id: this.id, data: {} }, {}, []);
    this.end();
  }

  /** Marks the comm as closed: nothing more is sent. */
  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#manager.forget(this);
    this.onClose();
  }
}

export class CommManager {
  readonly send: CommSender;
  readonly #comms = new Map<string, Comm>();
  readonly #targets = new Map<string, CommTarget>();

  constructor(send: CommSender) {
    this.send = send;
  }

  registerTarget(name: string, target: CommTarget): void {
    this.#targets.set(name, target);
  }

  open(target: string, { data, metadata, buffers }: CommMessage): Comm {
    const comm = this.#add(randomUUID().replaceAll('-', ''));
    this.send('comm_open', { comm_id: comm.id, target_name: target, data }, metadata, buffers);
    return comm;
  }

  deliver({ type, content, metadata }: CommDelivery, buffers: readonly Uint8Array[]): void {
    const id = textOf(content['comm_id']);
    const data = content['data'];
    const message: CommMessage = { data: isPlainObject(data) ? data : {}, metadata, buffers };
    if (type === 'comm_open') this.#opened(id, textOf(content['target_name']), message);
    else if (type === 'comm_msg') this.#comms.get(id)?.onMessage(message);
    else this.#comms.get(id)?.end();
  }

  forget(comm: Comm): void {
    this.#comms.delete(comm.id);
  }

  #opened(id: string, targetName: string, message: CommMessage): void {
    const target = this.#targets.get(targetName);
    // A comm opened twice: the existing one stays, since it may belong to a widget.
    if (this.#comms.has(id)) return;
    const comm = this.#add(id);
    // The protocol requires this answer; the page then stops waiting.
    if (target === undefined) comm.close();
    else target(comm, message);
  }

  #add(id: string): Comm {
    const comm = new Comm(this, id);
    this.#comms.set(id, comm);
    return comm;
  }
}

let manager: CommManager | undefined;

/** Returns the comms of this process, created when the first widget, page or request needs them. */
export function comms(): CommManager {
  return (manager ??= new CommManager((...message) => widgetHost().send(...message)));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
