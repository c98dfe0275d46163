/** Another client of a running kernel: a shell and a control channel, and a stdin channel if it has one. */

import { randomUUID } from 'node:crypto';
import { Dealer } from 'zeromq';
import { field, signedFrames, type Content, type KernelClient } from './client.ts';

export class Peer {
  readonly session: string;
  readonly #shell: Dealer;
  readonly #control: Dealer;
  readonly #stdin: Dealer | undefined;

  constructor(kernel: KernelClient, withStdin = false, session: string = randomUUID()) {
    this.session = session;
    this.#shell = new Dealer({ linger: 0, routingId: session });
    this.#control = new Dealer({ linger: 0, routingId: session });
    this.#shell.connect(kernel.endpoints.shell);
    this.#control.connect(kernel.endpoints.control);
    if (!withStdin) return;
    this.#stdin = new Dealer({ linger: 0, routingId: this.session });
    this.#stdin.connect(kernel.endpoints.stdin);
  }

  send(type: string, content: Content, header: Content = {}, metadata: Content = {}): string {
    const frames = this.#frames(type, content, header, metadata);
    void this.#shell.send(frames.frames);
    return frames.id;
  }

  sendControl(type: string, content: Content, header: Content = {}): void {
    void this.#control.send(this.#frames(type, content, header).frames);
  }

  async controlReply(): Promise<{ readonly parentId: string; readonly content: Content }> {
    return read(await this.#control.receive());
  }

  answer(value: string): void {
    void this.#stdin!.send(this.#frames('input_reply', { value }, {}).frames);
  }

  /** The next reply to any request. */
  async reply(): Promise<{ readonly parentId: string; readonly content: Content }> {
    return read(await this.#shell.receive());
  }

  async question(): Promise<{ readonly parentId: string; readonly content: Content }> {
    return read(await this.#stdin!.receive());
  }

  close(): void {
    this.#shell.close();
    this.#control.close();
    this.#stdin?.close();
  }

  #frames(
    type: string,
    content: Content,
    header: Content,
    metadata: Content = {}
  ): { readonly id: string; readonly frames: (string | Uint8Array)[] } {
    const id = randomUUID();
    const own = { msg_id: id, msg_type: type, session: this.session, username: 'peer', version: '5.3' };
    const date = new Date().toISOString();
    return {
      id,
      frames: signedFrames(
        [{ ...own, date, ...header }, {}, metadata, content].map(part => JSON.stringify(part))
      )
    };
  }
}

function read(frames: Buffer[]): { readonly parentId: string; readonly content: Content } {
  const start = frames.findIndex(frame => frame.toString() === '<IDS|MSG>');
  const [parent, content] = [start + 3, start + 5].map(
    index => JSON.parse(frames[index]!.toString()) as Content
  );
  return { parentId: field(parent, 'msg_id'), content: content! };
}
