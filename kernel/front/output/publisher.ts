/** Publishes the output of cells, each message with its request as the parent. */

import { isCommMessage, type JsonObject, type MessageHeader } from '../../protocol/messages.ts';
import type { CellOutputs } from './cell-outputs.ts';
import type { FlowControl } from './flow-control.ts';
import type { KernelSockets } from '../sockets/sockets.ts';
import type { OutgoingMessage } from '../sockets/wire.ts';

/** A request that output may name as its parent, even after the reply. */
interface RequestParent {
  readonly header: MessageHeader;
  /** Whether the request is silent: its output is dropped. */
  readonly silent: boolean;
}

/** Maximum requests kept; output of older ones goes to the latest cell. Comm messages are counted separately, to displace no cell. */
const MAX_CELLS = 10_000;
const MAX_COMM_MESSAGES = 1_000;

export class Publisher {
  readonly #sockets: KernelSockets;
  readonly #flow: FlowControl;
  readonly #outputs: CellOutputs;
  readonly #cells = new Map<string, RequestParent>();
  readonly #commMessages = new Map<string, RequestParent>();
  /** The cell that receives output without an owner. */
  latestCell = '';

  constructor(sockets: KernelSockets, flow: FlowControl, outputs: CellOutputs) {
    this.#sockets = sockets;
    this.#flow = flow;
    this.#outputs = outputs;
  }

  addCell(header: MessageHeader, silent: boolean): void {
    keep(this.#cells, { header, silent }, MAX_CELLS);
    this.latestCell = header.msg_id;
  }

  addCommMessage(header: MessageHeader): void {
    keep(this.#commMessages, { header, silent: false }, MAX_COMM_MESSAGES);
  }

  /** Publishes a message under the request whose id is `cell`. */
  publishFor(
    cell: string,
    type: string,
    content: object,
    metadata: JsonObject = {},
    buffers: readonly Uint8Array[] = []
  ): void {
    const parent = this.#cells.get(cell) ?? this.#commMessages.get(cell) ?? this.#cells.get(this.latestCell);
    if (parent?.silent === true && !isCommMessage(type)) return;
    this.#flow.published(type);
    this.publish({ type, content, parent: parent?.header ?? {}, metadata, buffers });
  }

  publish(message: OutgoingMessage): void {
    const { id, bytes } = this.#sockets.publish(message);
    this.#outputs.note(message, id, bytes);
  }
}

function keep(requests: Map<string, RequestParent>, parent: RequestParent, most: number): void {
  requests.set(parent.header.msg_id, parent);
  if (requests.size > most) requests.delete(requests.keys().next().value!);
}
