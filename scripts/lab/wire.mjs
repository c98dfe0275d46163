/**
 * Messages of the server's kernel websocket, in the form `v1.kernel.websocket.jupyter.org` (jupyter_server,
 * "WebSocket kernel wire protocols"): a table of 64-bit little-endian offsets, then the parts.
 *
 * @typedef {{ msg_id: string, msg_type: string, session: string, username: string, date: string, version: string }} Header
 * @typedef {object} Message
 * @property {string} channel
 * @property {Header} header
 * @property {Partial<Header>} parent_header
 * @property {Record<string, unknown>} metadata
 * @property {Record<string, any>} content
 * @property {Uint8Array[]} buffers
 */

export const SUBPROTOCOL = 'v1.kernel.websocket.jupyter.org';

/** @param {Message} message @returns {Uint8Array<ArrayBuffer>} */
export function encode(message) {
  const { channel, header, parent_header, metadata, content, buffers } = message;
  const parts = [
    Buffer.from(channel),
    ...[header, parent_header, metadata, content].map(part => Buffer.from(JSON.stringify(part))),
    ...buffers
  ];
  const table = new BigUint64Array(parts.length + 2);
  table[0] = BigInt(parts.length + 1);
  let offset = table.byteLength;
  parts.forEach((part, i) => {
    table[i + 1] = BigInt(offset);
    offset += part.byteLength;
  });
  table[parts.length + 1] = BigInt(offset);
  const frame = new Uint8Array(offset);
  frame.set(new Uint8Array(table.buffer));
  parts.forEach((part, i) => frame.set(part, Number(table[i + 1])));
  return frame;
}

/** @param {ArrayBuffer} frame @returns {Message} */
export function decode(frame) {
  const view = new DataView(frame);
  const count = Number(view.getBigUint64(0, true));
  const offsets = Array.from({ length: count }, (_, i) => Number(view.getBigUint64(8 * (i + 1), true)));
  const parts = offsets
    .slice(0, -1)
    .map((start, i) => Buffer.from(frame, start, Number(offsets[i + 1]) - start));
  const [channel, header, parent_header, metadata, content, ...buffers] = parts;
  const json = (/** @type {Buffer | undefined} */ part) => JSON.parse(String(part ?? '{}'));
  return {
    channel: String(channel),
    header: json(header),
    parent_header: json(parent_header),
    metadata: json(metadata),
    content: json(content),
    buffers
  };
}
