/** The output of one run, in the form that a page needs to restore it. */

import type { OutputMessage } from '../../../src/notebook/cell-outputs.ts';
import { isOutput, type JsonObject } from '../../protocol/messages.ts';
import { withoutRewritten } from './rewritten-line.ts';

/** Characters of text kept in one piece; pieces are dropped as a unit. */
const PIECE = 65_536;

interface Kept {
  message: OutputMessage;
  bytes: number;
}

export class KeptOutput {
  readonly #kept = new Set<Kept>();
  #last: Kept | undefined;
  /** The latest update of each display; earlier ones are no longer visible. */
  readonly #updates = new Map<unknown, Kept>();
  /** Whether the next output replaces all before it. */
  #clearsNext = false;
  bytes = 0;
  /** Whether older output was dropped. */
  shortened = false;

  get messages(): readonly OutputMessage[] {
    return [...this.#kept].map(({ message }) => message);
  }

  /** Adds a message. `bytes` is the size of its content. Messages of other types are ignored. */
  add(message: OutputMessage, bytes: number): void {
    const { type, content } = message;
    if (!isOutput(type)) return;
    if (type === 'clear_output' && content['wait'] !== true) return this.clear();
    if (type === 'update_display_data') return this.#update(message, bytes);
    if (this.#clearsNext) this.clear();
    this.#clearsNext = type === 'clear_output';
    if (type !== 'stream' || !this.#append(content, bytes)) this.#push({ message, bytes });
  }

  clear(): void {
    this.#kept.clear();
    this.#updates.clear();
    this.#last = undefined;
    this.#clearsNext = false;
    this.shortened = false;
    this.bytes = 0;
  }

  dropOldest(): void {
    const [oldest] = this.#kept;
    if (oldest === undefined) return;
    this.#delete(oldest);
    this.shortened = true;
  }

  #push(kept: Kept): void {
    this.#kept.add(kept);
    this.#last = kept;
    this.bytes += kept.bytes;
  }

  #delete(kept: Kept): void {
    this.#kept.delete(kept);
    this.bytes -= kept.bytes;
    if (this.#last === kept) this.#last = undefined;
    for (const [id, update] of this.#updates) if (update === kept) this.#updates.delete(id);
  }

  #update(message: OutputMessage, bytes: number): void {
    const id = (message.content['transient'] as JsonObject | undefined)?.['display_id'];
    const before = this.#updates.get(id);
    if (before !== undefined) this.#delete(before);
    const kept = { message, bytes };
    this.#push(kept);
    this.#updates.set(id, kept);
  }

  /** Appends text to the last piece. Returns false if that is not possible. */
  #append({ name, text }: OutputMessage['content'], bytes: number): boolean {
    const last = this.#last;
    if (last?.message.type !== 'stream' || last.message.content['name'] !== name) return false;
    const before = last.message.content['text'] as string;
    if (before.length >= PIECE) return false;
    let joined = before + (text as string);
    let added = bytes;
    if (joined.length >= PIECE && joined.includes('\r')) {
      joined = withoutRewritten(joined);
      added = Buffer.byteLength(joined) - last.bytes;
    }
    last.message = { ...last.message, content: { name, text: joined } };
    last.bytes += added;
    this.bytes += added;
    return true;
  }
}
