/** Publishes what cells put out, each message under the request that it belongs to. */

import { isCommMessage, type JsonObject, type MessageHeader } from '../../protocol/messages.ts';
import type { CellOutputs } from './cell-outputs.ts';
import type { FlowControl } from './flow-control.ts';
import { RequestParents } from '../requests/request-parents.ts';
import type { KernelSockets } from '../sockets/sockets.ts';
import type { OutgoingMessage } from '../sockets/wire.ts';

export class Publisher {
  readonly #sockets: KernelSockets;
  readonly #flow: FlowControl;
  readonly #outputs: CellOutputs;
  readonly #parents = new RequestParents();
  #latestCell = '';

  constructor(sockets: KernelSockets, flow: FlowControl, outputs: CellOutputs) {
    this.#sockets = sockets;
    this.#flow = flow;
    this.#outputs = outputs;
  }

  /** The cell that output without an owner goes to. */
  get latestCell(): string {
    return this.#latestCell;
  }

  addCell(header: MessageHeader, silent: boolean): void {
    this.#parents.addCell(header, silent);
    this.#latestCell = header.msg_id;
  }

  addCommMessage(header: MessageHeader): void {
    this.#parents.addCommMessage(header);
  }

  /** `cell` is the id of the request that the message is part of. */
  publishFor(
    cell: string,
    type: string,
    content: object,
    metadata: JsonObject = {},
    buffers: readonly Uint8Array[] = []
  ): void {
    const parent = this.#parents.get(cell) ?? this.#parents.get(this.#latestCell);
    if (parent?.silent === true && !isCommMessage(type)) return;
    this.#flow.published(type);
    this.publish({ type, content, parent: parent?.header ?? {}, metadata, buffers });
  }

  publish(message: OutgoingMessage): void {
    const { id, bytes } = this.#sockets.publish(message);
    this.#outputs.note(message, id, bytes);
  }
}
