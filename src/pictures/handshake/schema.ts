/**
 * What a handshake diagram needs to know, as plain JSON: the one schema shared by the recorder, the kernel half and the page half. Pure
 * types and constants; imports neither Node nor the DOM. Streams stand by name (`stream #3`), times are microseconds.
 */

import type { ExchangeDescription, Fact } from '../../recording/exchanges/facts.ts';

/** Raised when a field changes its meaning; a view that meets a newer number says so instead of guessing. */
export const HANDSHAKE_VERSION = 1;

/** Who asks, who answers, and the two queues of device work between them. `host`: a thread that is made to wait. */
export type Lane = 'producer' | 'producer-stream' | 'consumer-stream' | 'consumer' | 'host';

/** From left to right. Keys tell no order: notebooks are saved with theirs sorted. */
export const LANE_ORDER: readonly Lane[] = [
  'producer',
  'producer-stream',
  'consumer-stream',
  'consumer',
  'host'
];

/** How a step is drawn: an arrow of a call or its answer, device work, an event, a wait, or a note beside a lifeline. */
export type Mark = 'call' | 'answer' | 'work' | 'event' | 'wait' | 'note' | 'failed';

/**
 * A kind of fact in words: how it is drawn, between which lifelines, a few words, a sentence, the rules behind it, and the fields of the
 * fact that stand for `%1`, `%2`. `Backticks` enclose code.
 */
export type StepWords = readonly [
  mark: Mark,
  from: Lane,
  to: Lane,
  label: string,
  sentence: string,
  rules: readonly number[],
  ...fields: string[]
];

/** A value of a stream argument. */
export interface StreamArgument {
  readonly value: string;
  readonly meaning: string;
  readonly trap: string;
  readonly rules: readonly number[];
}

/** Streams that a lesson can be about. `null`: producer, nothing is pending; consumer, none is named. */
export const LESSON_STREAMS = ['null', 'legacy', 'per-thread', 'own'] as const;
export type LessonStream = (typeof LESSON_STREAMS)[number];

export interface LessonChoice {
  readonly protocol: 'cai' | 'dlpack';
  readonly producerStream: LessonStream;
  readonly consumerStream: LessonStream;
  /** False: the wait is skipped. */
  readonly sync: boolean;
}

/** A lesson as the numbers of its facts among those of all lessons. */
export interface Lesson {
  readonly facts: readonly number[];
  readonly hazard: boolean;
}

/** A device on which the wait can be skipped, and what to expect there. */
export interface RunPlace {
  readonly device: string;
  readonly about: string;
}

export interface HandshakePicture {
  readonly version: typeof HANDSHAKE_VERSION;
  readonly mode: 'lesson' | 'recorded';
  /** What a lesson begins with. */
  readonly lesson: LessonChoice;
  /** Whether exchanges are recorded now. */
  readonly recording: boolean;
  /** The latest, oldest first; `total` were recorded, and `dropped` are forgotten. */
  readonly exchanges: readonly ExchangeDescription[];
  readonly total: number;
  readonly dropped: number;
  /** What to do where there are none. */
  readonly advice: string;
  readonly words: Readonly<Record<string, StepWords>>;
  readonly lanes: Readonly<Record<Lane, string>>;
  readonly streamArguments: Readonly<Record<LessonChoice['protocol'], readonly StreamArgument[]>>;
  /** By `lessonKey`. */
  readonly lessons: Readonly<Record<string, Lesson>>;
  readonly lessonFacts: readonly Fact[];
  /** The simulated device first. */
  readonly runs: readonly RunPlace[];
}

export function lessonKey({ protocol, producerStream, consumerStream, sync }: LessonChoice): string {
  return [protocol, producerStream, consumerStream, sync].join();
}

/** What came of running one exchange with the wait and without: content of the answer to `run`. */
export interface RunOutcome {
  readonly wrong: boolean;
  readonly verdict: string;
  readonly caption: string;
  readonly head: readonly string[];
  /** Cells of what is wrong begin with `✕`. */
  readonly rows: readonly (readonly string[])[];
  /** What hazard detection said. */
  readonly report: string;
}
