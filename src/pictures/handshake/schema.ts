/** Data of a handshake diagram as plain JSON, for recorder, kernel and page. Pure. Streams are named (`stream #3`), times microseconds. */

import type { ExchangeDescription, Fact } from '../../recording/exchanges/facts.ts';

/** Incremented when a field changes its meaning; a view rejects newer versions instead of guessing. */
export const HANDSHAKE_VERSION = 1;

/** A lifeline: the consumer, the producer, their device queues, or the `host` thread that waits. */
export type Lane = 'producer' | 'producer-stream' | 'consumer-stream' | 'consumer' | 'host';

/** Left to right. Not taken from object keys, which saved notebooks sort. */
export const LANE_ORDER: readonly Lane[] = [
  'producer',
  'producer-stream',
  'consumer-stream',
  'consumer',
  'host'
];

/** How a step is drawn: an arrow of a call or its answer, device work, an event, a wait, or a note beside a lifeline. */
export type Mark = 'call' | 'answer' | 'work' | 'event' | 'wait' | 'note' | 'failed';

/** How a fact is drawn, its lifelines, a label, a sentence, its rules, and the fields that replace `%1`, `%2`. `Backticks` enclose code. */
export type StepWords = readonly [
  mark: Mark,
  from: Lane,
  to: Lane,
  label: string,
  sentence: string,
  rules: readonly number[],
  ...fields: string[]
];

export interface StreamArgument {
  readonly value: string;
  readonly meaning: string;
  readonly trap: string;
  readonly rules: readonly number[];
}

/** Streams of a lesson. `null`: for the producer, nothing is pending; for the consumer, no stream is passed. */
export const LESSON_STREAMS = ['null', 'legacy', 'per-thread', 'own'] as const;
export type LessonStream = (typeof LESSON_STREAMS)[number];

export interface LessonChoice {
  readonly protocol: 'cai' | 'dlpack';
  readonly producerStream: LessonStream;
  readonly consumerStream: LessonStream;
  /** False: the wait is skipped. */
  readonly sync: boolean;
}

/** A lesson as indexes of its facts among those of all lessons. */
export interface Lesson {
  readonly facts: readonly number[];
  readonly hazard: boolean;
}

/** A device on which the wait can be skipped, and the expected outcome. */
export interface RunPlace {
  readonly device: string;
  readonly about: string;
}

export interface HandshakePicture {
  readonly version: typeof HANDSHAKE_VERSION;
  readonly mode: 'lesson' | 'recorded';
  readonly lesson: LessonChoice;
  readonly recording: boolean;
  /** The latest exchanges, oldest first; `total` were recorded, and `dropped` are lost. */
  readonly exchanges: readonly ExchangeDescription[];
  readonly total: number;
  readonly dropped: number;
  /** What to do if there are none. */
  readonly advice: string;
  readonly words: Readonly<Record<string, StepWords>>;
  readonly lanes: Readonly<Record<Lane, string>>;
  readonly streamArguments: Readonly<Record<LessonChoice['protocol'], readonly StreamArgument[]>>;
  /** Keyed by `lessonKey`. */
  readonly lessons: Readonly<Record<string, Lesson>>;
  readonly lessonFacts: readonly Fact[];
  /** The simulated device first. */
  readonly runs: readonly RunPlace[];
}

export function lessonKey({ protocol, producerStream, consumerStream, sync }: LessonChoice): string {
  return [protocol, producerStream, consumerStream, sync].join();
}

/** Outcome of one exchange with and without the wait: content of the answer to `run`. */
export interface RunOutcome {
  readonly wrong: boolean;
  readonly verdict: string;
  readonly caption: string;
  readonly head: readonly string[];
  /** Cells of wrong values begin with `✕`. */
  readonly rows: readonly (readonly string[])[];
  /** The report of hazard detection. */
  readonly report: string;
}
