/** The wire format of Jupyter messages: frames and signatures; forged, replayed or malformed messages are rejected. */

import { createHmac, createSecretKey, randomUUID, timingSafeEqual, type KeyObject } from 'node:crypto';
import { userInfo } from 'node:os';
import {
  PROTOCOL_VERSION,
  type JsonObject,
  type JupyterMessage,
  type MessageHeader
} from '../../protocol/messages.ts';

const DELIMITER = Buffer.from('<IDS|MSG>');
const SIGNED_PARTS = 4;
/** Number of signatures remembered to detect replays. */
const MAX_SEEN = 65_536;

export interface OutgoingMessage {
  readonly type: string;
  readonly content: object;
  readonly parent: MessageHeader | Record<string, never>;
  readonly metadata?: JsonObject;
  readonly buffers?: readonly Uint8Array[];
  /** The `msg_id`, if the sender must know it in advance. */
  readonly id?: string;
}

export class Wire {
  readonly session = randomUUID();
  /** Undefined if messages are not signed. */
  readonly #key: KeyObject | undefined;
  readonly #hash: string;
  readonly #seen = new Set<string>();
  readonly #username = username();
  #count = 0;

  constructor(key: string, hash: string) {
    this.#key = key === '' ? undefined : createSecretKey(Buffer.from(key));
    this.#hash = hash;
  }

  /** Returns the `msg_id` of the next message: the session, and a counter. */
  nextId(): string {
    this.#count += 1;
    return `${this.session}_${this.#count}`;
  }

  /** Encodes a message. `prefix` is the ROUTER envelope, or the topic on iopub. */
  encode(prefix: readonly Uint8Array[], message: OutgoingMessage): Uint8Array[] {
    const header: MessageHeader = {
      msg_id: message.id ?? this.nextId(),
      session: this.session,
      username: this.#username,
      date: new Date().toISOString(),
      msg_type: message.type,
      version: PROTOCOL_VERSION
    };
    const parts = [header, message.parent, message.metadata ?? {}, message.content].map(part =>
      Buffer.from(JSON.stringify(part))
    );
    return [...prefix, ...this.#signed(parts), ...(message.buffers ?? [])];
  }

  /** Encodes a message of the handshake, which has only a content. */
  encodeContent(content: object): Uint8Array[] {
    return this.#signed([Buffer.from(JSON.stringify(content))]);
  }

  /** Decodes a message; returns null if it must be dropped. */
  decode(frames: readonly Buffer[]): JupyterMessage | null {
    const delimiter = frames.findIndex(frame => frame.equals(DELIMITER));
    if (delimiter < 0 || frames.length < delimiter + 2 + SIGNED_PARTS) return null;
    const signature = frames[delimiter + 1]!.toString('latin1');
    const parts = frames.slice(delimiter + 2, delimiter + 2 + SIGNED_PARTS);
    if (!this.#accept(signature, parts)) return null;
    const [header, parent, metadata, content] = parts.map(parseObject);
    if (!isHeader(header) || !parent || !metadata || !content) return null;
    return {
      identities: frames.slice(0, delimiter),
      header,
      parent: parent as unknown as MessageHeader,
      metadata,
      content,
      buffers: frames.slice(delimiter + 2 + SIGNED_PARTS)
    };
  }

  /** Returns whether the frames are a message of the handshake with a valid signature; its content has no fixed form. */
  acceptsContent(frames: readonly Buffer[]): boolean {
    const [delimiter, signature, content, ...more] = frames.slice(
      frames.findIndex(frame => frame.equals(DELIMITER))
    );
    if (content === undefined || more.length > 0 || !delimiter!.equals(DELIMITER)) return false;
    return this.#accept(signature!.toString('latin1'), [content]);
  }

  #signed(parts: readonly Uint8Array[]): Uint8Array[] {
    return [DELIMITER, Buffer.from(this.#sign(parts)), ...parts];
  }

  #sign(parts: readonly Uint8Array[]): string {
    if (this.#key === undefined) return '';
    const hmac = createHmac(this.#hash, this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest('hex');
  }

  #accept(signature: string, parts: readonly Uint8Array[]): boolean {
    if (this.#key === undefined) return true;
    const expected = Buffer.from(this.#sign(parts));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    if (this.#seen.has(signature)) return false;
    this.#seen.add(signature);
    if (this.#seen.size > MAX_SEEN) this.#seen.delete(this.#seen.values().next().value!);
    return true;
  }
}

/** Returns null if the text is not a JSON object; some clients write `null` for an empty one. */
function parseObject(part: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(part.toString()) ?? {};
    return typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    // Not JSON, or longer than the maximum string length.
    return null;
  }
}

/** Checks only the fields that all clients send. */
function isHeader(value: JsonObject | null | undefined): value is JsonObject & MessageHeader {
  return typeof value?.['msg_id'] === 'string' && typeof value['msg_type'] === 'string';
}

function username(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id without a name.
    return 'kernel';
  }
}
