/** What the diagram of recorded exchanges shows, small enough to be saved with a notebook. */

import {
  HANDSHAKE_VERSION,
  type ExchangeDescription,
  type HandshakePicture,
  type LessonChoice
} from '../description/handshake/schema.ts';
import { CAI_STREAMS, DLPACK_STREAMS, STEP_WORDS } from '../description/handshake/words.ts';
import { devices } from '../device.ts';

/** Characters of JSON for exchanges, of the 64 KiB that a state may have. */
const MOST_JSON = 36_000;

export const FIRST_LESSON: LessonChoice = {
  protocol: 'cai',
  producerStream: 'own',
  consumerStream: 'own',
  sync: true
};

export interface RecordingState {
  readonly exchanges: readonly ExchangeDescription[];
  readonly recording: boolean;
  readonly dropped: number;
}

/** The latest of a list that fit into so many characters, oldest first. */
export function latestThatFit(
  exchanges: readonly ExchangeDescription[],
  most = MOST_JSON
): ExchangeDescription[] {
  const fitting: ExchangeDescription[] = [];
  let size = 0;
  for (const exchange of exchanges.toReversed()) {
    size += JSON.stringify(exchange).length;
    if (size > most) break;
    fitting.unshift(exchange);
  }
  return fitting;
}

export function handshakePicture(
  mode: HandshakePicture['mode'],
  lesson: LessonChoice,
  { exchanges, recording, dropped }: RecordingState
): HandshakePicture {
  const labels = devices().map(({ label }) => label);
  return {
    version: HANDSHAKE_VERSION,
    mode,
    lesson,
    recording,
    exchanges: latestThatFit(exchanges),
    total: exchanges.length,
    dropped,
    words: STEP_WORDS,
    streamArguments: { cai: CAI_STREAMS, dlpack: DLPACK_STREAMS },
    devices: ['sim:0', ...labels.filter(label => label.startsWith('cuda:'))]
  };
}
