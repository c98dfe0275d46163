/** The kernel half of the handshake diagram: recorded exchanges, a lesson, and a run without synchronization. */

import { latestThatFit, handshakePicture, FIRST_LESSON } from '../../../../src/pictures/handshake/picture.ts';
import { renderExchanges, renderLesson } from '../../../../src/pictures/handshake/render.ts';
import {
  LESSON_STREAMS,
  type HandshakePicture,
  type LessonChoice,
  type LessonStream
} from '../../../../src/pictures/handshake/schema.ts';
import type { Parameters, PictureTexts } from '../../../../src/pictures/kit/live-messages.ts';
import { ArgumentError } from '../../../../src/base/errors.ts';
import { exchanges } from '../../../../src/recording/exchanges/exchanges.ts';
import { textOf } from '../../../../src/base/value-text.ts';
import { widgetHost } from '../../model/host.ts';
import { LiveWidget } from '../kit/live-widget.ts';
import type { Reply } from '../kit/requests.ts';
import { runSkippedWait } from './skipped-wait/run.ts';

/** Polling interval for results of native code. */
const PENDING_PERIOD_MS = 250;

/** Options of a lesson. */
export interface HandshakeOptions {
  /** `cai` (default), the CUDA Array Interface version 3, or `dlpack`. */
  readonly protocol?: 'cai' | 'dlpack';
  /** The producer's stream: `own` by default, `legacy`, `per-thread`, or `null` for no pending work. */
  readonly producerStream?: LessonStream;
  /** The consumer's stream; `null` names no stream, which means the legacy default stream. */
  readonly consumerStream?: LessonStream;
  /** Whether the consumer synchronizes; false skips the wait. */
  readonly sync?: boolean;
}

/**
 * A sequence diagram of an exchange of arrays: a lesson for selected streams, beside the recorded `exchanges`.
 * @throws ArgumentError for an unknown protocol or stream
 * @example new HandshakeDiagram({ protocol: 'dlpack', consumerStream: 'per-thread', sync: false })
 */
export class HandshakeDiagram extends LiveWidget<HandshakePicture> {
  readonly #mode: HandshakePicture['mode'];
  readonly #lesson: LessonChoice;
  readonly #closed = new AbortController();
  #runs = 0;

  /** Creates the diagram. `mode` is the initial mode, which users can change. */
  constructor(options: HandshakeOptions = {}, mode: HandshakePicture['mode'] = 'lesson') {
    const lesson = lessonOf({ ...FIRST_LESSON, ...options }, 'HandshakeDiagram');
    super({ name: 'HandshakeDiagram', label: () => 'exchanges', render }, pictureOf(mode, lesson));
    this.#mode = mode;
    this.#lesson = lesson;
    const end = exchanges.onChange(() => this.schedule());
    this.on('close', () => {
      end();
      this.#closed.abort();
    });
  }

  protected override describe(): HandshakePicture {
    return pictureOf(this.#mode, this.#lesson);
  }

  protected override watching(watched: boolean): void {
    // Variables may have been assigned since.
    if (watched) this.schedule();
    this.poll(PENDING_PERIOD_MS, () => {
      if (exchanges.pending) this.schedule();
    });
  }

  protected override answer(method: string, parameters: Parameters): Reply | undefined {
    if (method === 'run') return { content: { run: this.#run(parameters) } };
    if (method === 'start' || method === 'stop') {
      exchanges[method]();
      return {};
    }
    if (method !== 'older') return undefined;
    const { before } = parameters;
    const older = exchanges.read(namesNow()).events.filter(({ number }) => number < Number(before));
    return { content: { exchanges: latestThatFit(older) } };
  }

  /** Starts a run. Its outcome is sent later: a busy machine may take longer than a page waits for an answer. */
  #run({ choice, device }: Parameters): number {
    const lesson = lessonOf(choice, 'run');
    const devices = this.picture.runs.map(place => place.device);
    if (typeof device !== 'string' || !devices.includes(device))
      throw new ArgumentError(`run: device ${textOf(device)} is not one of ${devices.join(', ')}`);
    const run = ++this.#runs;
    runSkippedWait(lesson, device, { signal: this.#closed.signal }).then(
      outcome => this.#tell({ run, outcome }),
      (error: unknown) => this.#tell({ run, error: error instanceof Error ? error.message : String(error) })
    );
    return run;
  }

  #tell(content: Parameters): void {
    if (!this.closed) this.push(content);
  }
}

function pictureOf(mode: HandshakePicture['mode'], lesson: LessonChoice): HandshakePicture {
  const { events, dropped } = exchanges.read(namesNow());
  return handshakePicture(mode, lesson, { exchanges: events, recording: exchanges.enabled, dropped });
}

function render({ mode, lesson, exchanges: recorded, recording }: HandshakePicture): PictureTexts {
  return mode === 'recorded' ? renderExchanges(recorded, recording) : renderLesson(lesson);
}

/** Returns a look-up of the names of the notebook's variables by value. */
function namesNow(): (value: object) => string | undefined {
  const names = new Map<unknown, string>();
  for (const [name, value] of Object.entries(widgetHost().variables())) names.set(value, name);
  return value => names.get(value);
}

/** Returns the lesson. @throws ArgumentError for an invalid choice */
function lessonOf(choice: unknown, what: string): LessonChoice {
  const { protocol, producerStream, consumerStream, sync } = (choice ?? {}) as Record<string, unknown>;
  const refuse = (name: string, value: unknown, expected: string): never => {
    throw new ArgumentError(`${what}: ${name} ${textOf(value)} is not ${expected}`);
  };
  if (protocol !== 'cai' && protocol !== 'dlpack') return refuse('protocol', protocol, "'cai' or 'dlpack'");
  const streamOf = (name: string, value: unknown): LessonStream =>
    LESSON_STREAMS.find(known => known === value) ??
    refuse(name, value, `one of ${LESSON_STREAMS.join(', ')}`);
  if (typeof sync !== 'boolean') return refuse('sync', sync, 'true or false');
  return {
    protocol,
    producerStream: streamOf('producerStream', producerStream),
    consumerStream: streamOf('consumerStream', consumerStream),
    sync
  };
}
