/** The connection between the headless run and a server. */

import { decode, encode } from '../../scripts/lab/wire.mjs';
import type { Message } from '../../scripts/lab/wire.mjs';

test('a message keeps its parts and buffers over the websocket', () => {
  const header = { msg_id: 'm', msg_type: 'comm_msg', session: 's', username: 'u', date: '', version: '5.4' };
  const sent: Message = {
    channel: 'iopub',
    header,
    parent_header: { msg_id: 'cell' },
    metadata: {},
    content: { text: 'naïve ☃' },
    buffers: [Uint8Array.of(1, 2, 3), new Uint8Array(0)]
  };
  const { buffers, ...received } = decode(encode(sent).buffer);
  expect(received).toEqual({ ...sent, buffers: undefined });
  expect(buffers.map(buffer => [...buffer])).toEqual([[1, 2, 3], []]);
});
