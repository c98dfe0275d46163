/** Data of the exchange diagram and its lessons, small enough to be saved with a notebook. */

import { isHazard } from '../../recording/exchanges/hazard.ts';
import { lessonFacts } from './lesson.ts';
import type { ExchangeDescription, Fact } from '../../recording/exchanges/facts.ts';
import {
  HANDSHAKE_VERSION,
  LESSON_STREAMS,
  lessonKey,
  type HandshakePicture,
  type Lesson,
  type LessonChoice
} from './schema.ts';
import { CAI_STREAMS, DLPACK_STREAMS, LANES, RUNS, STEP_WORDS } from './words.ts';
import { devices } from '../../core/device.ts';
import { adviceFor } from './render.ts';

/** Maximum characters of JSON for exchanges, of a state's 64 KiB. */
const MOST_JSON = 30_000;

export const FIRST_LESSON: LessonChoice = {
  protocol: 'cai',
  producerStream: 'own',
  consumerStream: 'own',
  sync: true
};

/** Returns the latest exchanges that fit into a picture, oldest first. */
export function latestThatFit(exchanges: readonly ExchangeDescription[]): ExchangeDescription[] {
  const fitting: ExchangeDescription[] = [];
  let size = 0;
  for (const exchange of exchanges.toReversed()) {
    size += JSON.stringify(exchange).length;
    if (size > MOST_JSON) break;
    fitting.unshift(exchange);
  }
  return fitting;
}

/** Returns every lesson, for pages without a kernel; they share most of their facts. */
function allLessons(): Pick<HandshakePicture, 'lessons' | 'lessonFacts'> {
  const numbers = new Map<string, number>();
  const all: Fact[] = [];
  const lessons: Record<string, Lesson> = {};
  for (const choice of everyChoice()) {
    const facts = lessonFacts(choice);
    const hazard = isHazard(facts);
    const found = facts.map(fact => {
      const key = JSON.stringify(fact);
      const known = numbers.get(key) ?? all.push(fact) - 1;
      numbers.set(key, known);
      return known;
    });
    lessons[lessonKey(choice)] = { facts: found, hazard };
  }
  return { lessons, lessonFacts: all };
}

function everyChoice(): LessonChoice[] {
  return (['cai', 'dlpack'] as const).flatMap(protocol =>
    LESSON_STREAMS.flatMap(producerStream =>
      LESSON_STREAMS.flatMap(consumerStream =>
        [true, false].map(sync => ({ protocol, producerStream, consumerStream, sync }))
      )
    )
  );
}

let lessons: ReturnType<typeof allLessons> | undefined;

export function handshakePicture(
  mode: HandshakePicture['mode'],
  lesson: LessonChoice,
  { exchanges, recording, dropped }: Pick<HandshakePicture, 'exchanges' | 'recording' | 'dropped'>
): HandshakePicture {
  lessons ??= allLessons();
  const gpus = devices().filter(({ simulated }) => !simulated);
  return {
    version: HANDSHAKE_VERSION,
    mode,
    lesson,
    recording,
    exchanges: latestThatFit(exchanges),
    total: exchanges.length,
    dropped,
    advice: adviceFor(recording),
    words: STEP_WORDS,
    lanes: LANES,
    streamArguments: { cai: CAI_STREAMS, dlpack: DLPACK_STREAMS },
    ...lessons,
    runs: [
      { device: 'sim:0', about: RUNS.simulated },
      ...gpus.map(({ label }) => ({ device: label, about: RUNS.gpu }))
    ]
  };
}
